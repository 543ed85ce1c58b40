#include "file_seeds.h"

#include "io/io.h"

#include <hdf5.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct seeds {
    file_seed *seed;
    int count;
    bool stay;
} seeds;

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "file_seeds: %s\n", what);
    exit(2);
}

/* Takes the file at a path as a seed. */
static void take(seeds *s, const char *path)
{
    char *data;
    require(s->count < MOST_SEEDS, "too many seeds");
    file_seed *seed = &s->seed[s->count];
    require(file_read(path, 1 << 20, &data, &seed->size) == 0, path);
    seed->data = (uint8_t *)data;
    require(file_bytes_read(seed->data, seed->size) > 0, path);
    if (!s->stay) unlink(path);
    s->count++;
}

/* ---- PNG ------------------------------------------------------------------------------------- */

enum { WIDE = 9, HIGH = 5 };

static void write_png(const char *path, int type, int depth, int interlace)
{
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_color palette[7] = {{1, 2, 3}, {40, 50, 60}, {255, 255, 255}};
    png_byte row[WIDE * 8], alpha[3] = {0, 100, 255};
    require(file && png && info, path);
    png_init_io(png, file);
    png_set_IHDR(png, info, WIDE, HIGH, depth, type, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 7);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_tRNS(png, info, alpha, 3, NULL);
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (int y = 0; y < passes * HIGH; y++) {
        for (size_t i = 0; i < sizeof row; i++)
            row[i] = (png_byte)(type != PNG_COLOR_TYPE_PALETTE ? (int)i * 37 + y
                                : depth == 4                   ? 0x11
                                                               : 1);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

static void make_pngs(seeds *s)
{
    static const struct {
        int type, depth;
    } kinds[] = {{PNG_COLOR_TYPE_GRAY, 1},       {PNG_COLOR_TYPE_GRAY, 16},
                 {PNG_COLOR_TYPE_GRAY_ALPHA, 8}, {PNG_COLOR_TYPE_RGB, 8},
                 {PNG_COLOR_TYPE_RGB_ALPHA, 16}, {PNG_COLOR_TYPE_PALETTE, 4},
                 {PNG_COLOR_TYPE_PALETTE, 8}};
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (int interlace = 0; interlace < 2; interlace++) {
            char path[32];
            snprintf(path, sizeof path, "seed%zu%d.png", k, interlace);
            write_png(path, kinds[k].type, kinds[k].depth, interlace);
            take(s, path);
        }
}

/* ---- NPY ------------------------------------------------------------------------------------- */

static void make_npys(seeds *s)
{
    static const char *const types[] = {"<f8", ">f4", "<f2", "|b1", "|i1", ">i2", "<u4"};
    static const int sizes[] = {8, 4, 2, 1, 1, 2, 4};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        char header[128], path[32];
        unsigned char begin[10] = "\x93NUMPY\x01", values[12 * 8] = {1, 2, 3};
        int length = snprintf(header, sizeof header,
                              "{'descr': '%s', 'fortran_order': %s, 'shape': (3, 4), }\n", types[t],
                              t % 2 ? "True" : "False");
        begin[8] = (unsigned char)length;
        snprintf(path, sizeof path, "seed%zu.npy", t);
        const file_part parts[] = {
            {begin, 10}, {header, (size_t)length}, {values, (size_t)(12 * sizes[t])}};
        require(file_write_parts(path, parts, 3) == 0, path);
        take(s, path);
    }
}

/* ---- HDF5 ------------------------------------------------------------------------------------ */

/* A point of up to two components. */
static int64_t take_values(void *data, int i, int64_t first, const void **values)
{
    double *point = data;
    (void)i;
    point[0] = point[1] = (double)first;
    *values = point;
    return 1;
}

static void make_images(seeds *s)
{
    double point[2];
    messages m = {0};
    const io_lattice lattice = {{5, 4, 3}, {0}, {1, 1, 1}};
    const io_points arrays[] = {{.name = "u", .type = KATA_F64, .components = 2},
                                {.name = "v", .type = KATA_I32, .components = 1, .of_cells = true}};
    const io_source source = {point, take_values};
    require(!io_vtkhdf_write("seed0.vtkhdf", &lattice, 0, 2, arrays, &source, &m), "image");
    take(s, "seed0.vtkhdf");
    io_series *series = io_series_new("seed1.vtkhdf", &lattice, 2, arrays, &m);
    require(series && !io_series_add(series, 0, &source, &m) &&
                !io_series_add(series, 1, &source, &m),
            "series");
    io_series_free(series);
    take(s, "seed1.vtkhdf");
    const io_named_array plain[] = {{"u", {KATA_F64, 2, {6, 5}}, NULL},
                                    {"other", {KATA_U8, 1, {9}}, NULL}};
    require(!io_hdf5_write("seed2.h5", 2, plain, &source, NULL, &m), "datasets");
    take(s, "seed2.h5");
    message_free(&m);
}

/* A dataset in the root and one in a group, as HDF5 of this version stores them. */
static void write_hdf5(const char *path, hid_t access, hid_t type, hid_t properties)
{
    double values[8 * 6];
    hsize_t size[2] = {8, 6};
    for (int i = 0; i < 48; i++) values[i] = i * 0.25;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, size, NULL);
    for (int i = 0; i < 2; i++) {
        hid_t set =
            H5Dcreate2(i ? group : file, "u", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        require(set >= 0 &&
                    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
                path);
        H5Dclose(set);
    }
    H5Lcreate_soft("/u", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/", file, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
}

/* Contiguous, compact, chunked, and chunked with each filter of libhdf5. */
static hid_t properties_of(int kind)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (kind == 1) H5Pset_layout(properties, H5D_COMPACT);
    if (kind >= 2) H5Pset_chunk(properties, 2, (hsize_t[]){4, 4});
    if (kind == 3) H5Pset_deflate(properties, 6);
    if (kind == 3) H5Pset_shuffle(properties);
    if (kind == 4) H5Pset_fletcher32(properties);
    if (kind == 5) H5Pset_scaleoffset(properties, H5Z_SO_INT, 0);
    if (kind == 6) H5Pset_nbit(properties);
    return properties;
}

static void make_hdf5s(seeds *s)
{
    enum { KINDS = 7 };
    for (int latest = 0; latest < 2; latest++)
        for (int kind = 0; kind < KINDS; kind++) {
            char path[32];
            const hid_t types[] = {H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_STD_I16BE};
            hid_t access = H5Pcreate(H5P_FILE_ACCESS), properties = properties_of(kind);
            if (latest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
            snprintf(path, sizeof path, "seed%d%d.h5", latest, kind);
            write_hdf5(path, access, types[kind >= 5 ? 2 : kind % 3], properties);
            H5Pclose(access);
            H5Pclose(properties);
            take(s, path);
        }
}

int file_seeds_make(file_seed list[MOST_SEEDS], bool stay)
{
    seeds s = {.seed = list, .stay = stay};
    make_pngs(&s);
    make_npys(&s);
    make_images(&s);
    make_hdf5s(&s);
    return s.count;
}
