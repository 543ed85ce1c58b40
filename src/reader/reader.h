/* reader: the program kata-read-hdf5, which reads HDF5 files in a process of its own, and how the
 * library talks to it.
 *
 * libhdf5 trusts what a file says: there are files that crash it, and files that make it read other
 * files. So the library never gives it a file that it has not written itself. It starts this
 * program with the open file as standard input, and the program answers on standard output: first
 * one reader_reply, then, where values were asked for, the values. Its arguments are
 *
 *     kata-read-hdf5 KIND NAME TYPE BYTES
 *
 * numbers as of the types below, TYPE and BYTES 0 where only the shape is asked for. Neither side
 * trusts the other: the library checks the reply as it would check a file. */
#ifndef READER_READER_H
#define READER_READER_H

#include "base/base.h"

#define READER_PROGRAM "kata-read-hdf5"

enum { READER_MOST_AXES = 8, READER_MARK = 0x4b524831 };

/* Calls X(type, in memory) for each type of values in files: kata_type and libhdf5's, for those who
 * include hdf5.h. */
#define READER_TYPES(X)                                                                            \
    X(KATA_F64, H5T_NATIVE_DOUBLE)                                                                 \
    X(KATA_F32, H5T_NATIVE_FLOAT)                                                                  \
    X(KATA_I64, H5T_NATIVE_INT64)                                                                  \
    X(KATA_I32, H5T_NATIVE_INT32)                                                                  \
    X(KATA_U8, H5T_NATIVE_UINT8)                                                                   \
    X(KATA_U16, H5T_NATIVE_UINT16)                                                                 \
    X(KATA_I16, H5T_NATIVE_INT16)

/* Whether a number is one of these types. */
static inline bool reader_knows(int64_t type)
{
#define KNOWN(known, in_memory) type == known ||
    return READER_TYPES(KNOWN) false;
#undef KNOWN
}

typedef enum reader_kind {
    READER_DATASET, /* the dataset whose path is the name */
    READER_MEMBER,  /* the dataset of this name in the root group, or else the only one there */
    READER_IMAGE,   /* the same in the point data, or cell data, of a VTKHDF ImageData file; of a
                       series of steps, the values of the last */
    READER_MESH /* the table of neighbours of a mesh whose name is that of kata_mesh_options, such
                   as cell_vertices; or, for the name vertices, where these lie */
} reader_kind;

typedef struct reader_request {
    reader_kind kind;
    const char *name;
    kata_type type; /* of the values asked for, one of READER_TYPES */
    int64_t bytes;  /* that they take; 0: only the shape is asked for */
} reader_request;

/* How a table of a mesh is to be read. */
typedef struct reader_table {
    int32_t absent;      /* the file has no such table, and what follows means nothing */
    int32_t slots_first; /* axes are slot and element, not element and slot */
    int32_t has_fill;    /* `fill` is an empty slot */
    int32_t below;       /* so is what lies below `start` */
    int64_t start, fill; /* the number of the first element; as they are in the file */
    char variable[64];   /* its name */
} reader_table;

/* The shape of a dataset, axes from the slowest to the fastest. */
typedef struct reader_reply {
    uint32_t mark;
    int32_t type; /* that holds every value: a kata_type as above */
    int32_t axes;
    int32_t components; /* of an image: the last axis is one of components where there are several,
                           otherwise 1 */
    int64_t size[READER_MOST_AXES];
    reader_table table;
    char reason[256]; /* why there is none; "" where there is */
} reader_reply;

/* Takes what is answered: the reply first, then values. False: it cannot. */
typedef struct reader_sink {
    void *data;
    bool (*put)(void *data, const void *bytes, size_t count);
} reader_sink;

/* Why an answer ended; the exit code of the process. */
typedef enum reader_end { READER_DONE, READER_UNSET, READER_DEAF, READER_CUT } reader_end;

/* Reads an open file: puts a reply, and the values where they are asked for, as they are read.
 * READER_DEAF: the sink did not take it; READER_CUT: values could not be read to their end, after
 * the reply. Refused are links, values in other files, filters that are not part of libhdf5, and
 * datasets that claim more values than their file can hold. */
reader_end reader_answer(int file, const reader_request *request, const reader_sink *to);

/* Gives up what the process does not need: from here on it opens no file, starts no process and
 * uses memory and time in proportion to the bytes asked for. Descriptors above 2 are closed. False
 * where a limit cannot be set. */
bool reader_confine(int64_t bytes);

#endif
