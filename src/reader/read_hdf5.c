/* kata-read-hdf5: see reader.h. It ends without looking back: nothing is written but the answer. */
#include "reader/reader_hdf5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_all(void *unused, const void *bytes, size_t count)
{
    (void)unused;
    while (count > 0) {
        ssize_t put = write(1, bytes, count);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes = (const char *)bytes + put;
        count -= (size_t)put;
    }
    return true;
}

static bool read_request(int argc, char **argv, reader_request *request)
{
    int64_t kind, type, bytes;
    if (argc != 5 || !parse_integer(argv[1], READER_DATASET, READER_MESH, &kind) ||
        !parse_integer(argv[3], INT32_MIN, INT32_MAX, &type) || !reader_knows(type) ||
        !parse_integer(argv[4], 0, (int64_t)1 << 51, &bytes))
        return false;
    *request = (reader_request){(reader_kind)kind, argv[2], (kata_type)type, bytes};
    return true;
}

int main(int argc, char **argv)
{
    reader_request request;
    const reader_sink output = {.put = write_all};
    if (!read_request(argc, argv, &request)) {
        fprintf(stderr, "%s: Katagami's library starts this program to read HDF5 files\n",
                READER_PROGRAM);
        return READER_UNSET;
    }
    H5open(); /* loads what it needs */
    if (!reader_confine(request.bytes)) _exit(READER_UNSET);
    _exit((int)reader_answer(0, &request, &output));
}
