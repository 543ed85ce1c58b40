/* A file driver of HDF5 that reads one descriptor and nothing else. HDF5 opens the files that
 * external links and virtual datasets name with the driver of the file that names them; this one
 * opens no second file. What is not there is an error, where HDF5's own driver gives zeros. */
#include "reader/reader_hdf5.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct driver_file {
    H5FD_t head; /* HDF5's part, first */
    int descriptor;
    haddr_t end_used, end;
} driver_file;

static int next_descriptor = -1; /* of the file that may be opened next */

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t properties, haddr_t most)
{
    struct stat status;
    (void)name;
    (void)properties;
    (void)most;
    if (next_descriptor < 0 || (flags & H5F_ACC_RDWR) || fstat(next_descriptor, &status))
        return NULL;
    driver_file *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->descriptor = next_descriptor;
    f->end = (haddr_t)status.st_size;
    next_descriptor = -1;
    return &f->head;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
}

static haddr_t driver_get_end_used(const H5FD_t *file, H5FD_mem_t kind)
{
    (void)kind;
    return ((const driver_file *)file)->end_used;
}

static herr_t driver_set_end_used(H5FD_t *file, H5FD_mem_t kind, haddr_t end)
{
    (void)kind;
    ((driver_file *)file)->end_used = end;
    return 0;
}

static haddr_t driver_get_end(const H5FD_t *file, H5FD_mem_t kind)
{
    (void)kind;
    return ((const driver_file *)file)->end;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t kind, hid_t properties, haddr_t position,
                          size_t size, void *to)
{
    const driver_file *f = (const driver_file *)file;
    (void)kind;
    (void)properties;
    if (position > f->end || size > f->end - position) return -1;
    while (size > 0) {
        ssize_t got = pread(f->descriptor, to, size, (off_t)position);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        to = (char *)to + got;
        position += (haddr_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t kind, hid_t properties, haddr_t position,
                           size_t size, const void *from)
{
    (void)file;
    (void)kind;
    (void)properties;
    (void)position;
    (void)size;
    (void)from;
    return -1;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* for private use */
#endif
    .name = "kata",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_end_used,
    .set_eoa = driver_set_end_used,
    .get_eof = driver_get_end,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t reader_open_file(int file)
{
    hid_t opened = H5I_INVALID_HID, id = H5FDregister(&driver);
    hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    if (id >= 0 && properties >= 0 && H5Pset_driver(properties, id, NULL) >= 0) {
        next_descriptor = file;
        opened = H5Fopen("the file", H5F_ACC_RDONLY, properties);
        next_descriptor = -1;
    }
    if (properties >= 0) H5Pclose(properties);
    if (id >= 0) H5FDunregister(id);
    return opened;
}
