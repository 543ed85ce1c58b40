/* Animated PNG files (https://wiki.mozilla.org/APNG_Specification, now a part of PNG 3):
 *
 *   signature, IHDR
 *   acTL             number of pictures, and how often all are shown
 *   fcTL, IDAT...    the first picture, and for how long it is shown
 *   fcTL, fdAT...    each further one: fdAT is IDAT behind a number
 *   IEND
 *
 * libpng does not know these chunks. It compresses each picture as a file in memory, from which the
 * IDAT chunks are taken, and it writes the chunks that go to the file, with their checksums.
 *
 * A picture is added by writing its chunks and an IEND where the last IEND was, and then its number
 * into acTL, whose place never changes. */
#include "io/growing.h"
#include "io/png_codec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SIGNATURE = 8,
    AROUND = 12, /* bytes of a chunk beside its data: length, name and checksum */
    IHDR = 13,
    ACTL = 8,
    FCTL = 26,
    ACTL_PLACE = SIGNATURE + IHDR + AROUND
};

struct io_frames {
    char *path;
    unsigned milliseconds;
    int file; /* -1 before the first picture */
    uint32_t count, sequence;
    double last; /* time, of the last picture */
    off_t end;
};

io_frames *io_frames_new(const char *path, double seconds)
{
    io_frames *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    *f = (io_frames){.path = strdup(path), .file = -1};
    f->milliseconds = (unsigned)lrint(seconds * 1000);
    if (f->path) return f;
    free(f);
    return NULL;
}

bool io_frames_rename(io_frames *f, const char *path)
{
    if (f->file >= 0) return true;
    char *copy = strdup(path);
    if (!copy) return false;
    free(f->path);
    f->path = copy;
    return true;
}

void io_frames_free(io_frames *f)
{
    if (!f) return;
    if (f->file >= 0) close(f->file);
    free(f->path);
    free(f);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* What goes to the file, made by libpng in memory. */
typedef struct chunks {
    io_png_codec out; /* first: io_png_guarded gives its address */
    const io_png_codec *picture;
    uint32_t count, sequence; /* of the file, this picture included */
    unsigned milliseconds;
    bool whole; /* with the beginning of the file */
} chunks;

static png_byte *put_32(png_byte *at, uint32_t value)
{
    png_save_uint_32(at, value);
    return at + 4;
}

static void add_chunk(chunks *c, const char *name, const png_byte *data, size_t size)
{
    png_write_chunk(c->out.png, (png_const_bytep)name, data, size);
}

static void add_count(chunks *c)
{
    png_byte data[ACTL];
    put_32(put_32(data, c->count), 0); /* 0: for ever */
    add_chunk(c, "acTL", data, sizeof data);
}

static void add_control(chunks *c)
{
    png_byte data[FCTL] = {0}, *at = put_32(data, c->sequence++);
    at = put_32(at, (uint32_t)c->picture->image.width);
    at = put_32(at, (uint32_t)c->picture->image.height);
    at = put_32(put_32(at, 0), 0); /* its place */
    png_save_uint_16(at, c->milliseconds);
    png_save_uint_16(at + 2, 1000); /* parts of a second; then: nothing of the one before stays */
    add_chunk(c, "fcTL", data, sizeof data);
}

static void add_numbered(chunks *c, const png_byte *data, size_t size)
{
    png_byte number[4];
    put_32(number, c->sequence++);
    png_write_chunk_start(c->out.png, (png_const_bytep) "fdAT", (png_uint_32)(size + 4));
    png_write_chunk_data(c->out.png, number, 4);
    png_write_chunk_data(c->out.png, data, size);
    png_write_chunk_end(c->out.png);
}

/* The compressed data of the picture; its header only if the file begins. */
static void add_data(chunks *c)
{
    const png_byte *at = c->picture->data, *end = at + c->picture->size;
    for (at += SIGNATURE; at < end; at += AROUND + png_get_uint_32(at)) {
        size_t size = png_get_uint_32(at);
        if (memcmp(at + 4, "IDAT", 4) != 0) continue;
        if (c->whole)
            add_chunk(c, "IDAT", at + 8, size);
        else
            add_numbered(c, at + 8, size);
    }
}

static void add_chunks(io_png_codec *out)
{
    chunks *c = (chunks *)out;
    io_png_into_memory(out);
    if (c->whole) {
        png_write_sig(out->png);
        add_chunk(c, "IHDR", (const png_byte *)c->picture->data + SIGNATURE + 8, IHDR);
        add_count(c);
    }
    add_control(c);
    add_data(c);
    add_chunk(c, "IEND", NULL, 0);
}

static void add_only_count(io_png_codec *out)
{
    io_png_into_memory(out);
    add_count((chunks *)out);
}

/* Lets a step fill out->data; false, with out->reason, when that failed. */
static bool make(chunks *c, void (*step)(io_png_codec *))
{
    io_png_codec *out = &c->out;
    out->png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, out, io_png_on_error, io_png_on_warning);
    out->no_memory = !out->png;
    bool made = out->png && io_png_guarded(out, step);
    png_destroy_write_struct(&out->png, NULL);
    return made;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int begin(io_frames *f, const chunks *c)
{
    file_draft draft;
    int error = io_grow_begin(&draft, f->path, &f->file);
    if (error) return error;
    error = io_write_at(f->file, 0, c->out.data, c->out.size);
    f->end = (off_t)c->out.size;
    return io_grow_end(&draft, &f->file, error);
}

/* Puts the old end back after an error. */
static void undo(const io_frames *f)
{
    static const png_byte end[AROUND] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    io_write_at(f->file, f->end - AROUND, end, sizeof end);
    if (ftruncate(f->file, f->end)) return; /* what lies behind the end is not looked at */
}

static int grow(io_frames *f, chunks *c)
{
    io_png_codec picture = c->out;
    int error = io_reserve(f->file, picture.size);
    if (error) return error;
    c->out = (io_png_codec){0};
    error = make(c, add_only_count) ? 0 : EIO;
    if (!error) error = io_write_at(f->file, f->end - AROUND, picture.data, picture.size);
    if (!error) error = io_write_at(f->file, ACTL_PLACE, c->out.data, c->out.size);
    if (error)
        undo(f);
    else
        f->end += (off_t)picture.size - AROUND;
    io_png_codec_free(&picture);
    return error;
}

static kata_status add(io_frames *f, const io_png_codec *picture, messages *m)
{
    kata_status status = KATA_OK;
    chunks c = {.picture = picture, .count = f->count + 1, .sequence = f->sequence};
    c.milliseconds = f->milliseconds;
    c.whole = f->file < 0;
    bool made = make(&c, add_chunks);
    int error = !made ? 0 : c.whole ? begin(f, &c) : grow(f, &c);
    if (!made || error)
        status = io_png_cannot_write(&c.out, f->path, error, m);
    else {
        f->count = c.count;
        f->sequence = c.sequence;
    }
    io_png_codec_free(&c.out);
    return status;
}

kata_status io_frames_add(io_frames *f, double time, const io_image *image, messages *m)
{
    kata_status status = io_png_check(f->path, image, m);
    if (status) return status;
    if (f->count && time == f->last) return KATA_OK; /* another file failed, and it comes again */
    io_png_codec c = {.image = *image};
    status = io_png_encode(&c) ? add(f, &c, m) : io_png_cannot_write(&c, f->path, 0, m);
    io_png_codec_free(&c);
    if (!status) f->last = time;
    return status;
}
