/* Private to the shim of NVRTC. */
#ifndef NVRTC_TEXT_H
#define NVRTC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that grow; always terminated by a zero that does not count. Ends the process when memory is
 * out. */
typedef struct nvrtc_bytes {
    char *data;
    size_t count, room; /* bytes; bytes that data has */
} nvrtc_bytes;

void nvrtc_add(nvrtc_bytes *to, const char *data, size_t count);
void nvrtc_print(nvrtc_bytes *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- nvrtc_text.c ---------------------------------------------------------------------------- */

/* Makes a C++ text of a CUDA text that is preprocessed: the words in front, the text with what
 * cannot be words changed in place, and the entries of its kernels behind. */
void nvrtc_translate(nvrtc_bytes *to, const char *source);

/* ---- nvrtc_compile.c ------------------------------------------------------------------------- */

typedef struct nvrtc_choices {
    int target; /* 90 of sm_90 */
    bool real;  /* sm_.., not compute_.. */
    bool fuses; /* products and sums may become one */
    const char *defines[32];
    int define_count;
} nvrtc_choices;

/* Compiles a CUDA text, called `name`, into the bytes of a shared object by the system's C++
 * compiler. False, with its words in `log`, when it refuses, or is not there. */
bool nvrtc_compile(const char *source, const char *name, const nvrtc_choices *choices,
                   nvrtc_bytes *object, nvrtc_bytes *log);

#endif
