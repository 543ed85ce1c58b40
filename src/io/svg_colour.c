/* Colours of tiles, by their numbers in the order. */
#include "io/svg.h"

static const struct {
    const char *colour, *ink;
} palette[] = {{"#4c78a8", "white"}, {"#f58518", "black"}, {"#54a24b", "white"},
               {"#e45756", "white"}, {"#72b7b2", "black"}, {"#b279a2", "white"},
               {"#eeca3b", "black"}, {"#9d755d", "white"}};

const char *io_svg_colour(int order) { return palette[(size_t)order % COUNT_OF(palette)].colour; }
const char *io_svg_ink(int order) { return palette[(size_t)order % COUNT_OF(palette)].ink; }
