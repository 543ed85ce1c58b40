/* Colours for values on both sides of one that means something, such as zero: from blue by grey to
 * red, at equal steps, as bytes red, green, blue; between them they are linear. They come from the
 * formulas of K. Moreland, Diverging Color Maps for Scientific Visualization (ISVC 2009), between
 * his two ends: of equal brightness, told apart with all common kinds of colour blindness. */
#include "io/colour.h"

enum { COLOURS = 33 };

static const uint32_t colours[COLOURS] = {
    0x3b4cc0, 0x445acc, 0x4e68d7, 0x5875e1, 0x6282ea, 0x6c8ef1, 0x779af7, 0x82a5fb, 0x8db0fe,
    0x98b9ff, 0xa3c2ff, 0xaec9fd, 0xb8d0f9, 0xc2d5f4, 0xccd9ee, 0xd5dbe6, 0xdddddd, 0xe5d8d1,
    0xecd3c6, 0xf1ccb9, 0xf5c4ad, 0xf7bba0, 0xf7b194, 0xf7a687, 0xf49a7b, 0xf18d6f, 0xec7f63,
    0xe57057, 0xde614c, 0xd55042, 0xcb3e38, 0xc0282f, 0xb40426,
};

static double share(uint32_t colour, int c) { return (double)(colour >> (16 - 8 * c) & 255); }

void io_diverging(double t, uint8_t rgb[3])
{
    int low;
    double part;
    if (!io_between_colours(t, COLOURS, &low, &part, rgb)) return;
    for (int c = 0; c < 3; c++) {
        double from = share(colours[low], c), to = share(colours[low + 1], c);
        rgb[c] = (uint8_t)(from + (to - from) * part + 0.5);
    }
}
