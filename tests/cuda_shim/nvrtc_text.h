/* Private to the shim of NVRTC. */
#ifndef NVRTC_TEXT_H
#define NVRTC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that grow; always terminated by a zero that does not count. Ends the process when memory is
 * out. */
typedef struct nvrtc_bytes {
    char *data;
    size_t count;
} nvrtc_bytes;

void nvrtc_add(nvrtc_bytes *to, const char *data, size_t count);
void nvrtc_print(nvrtc_bytes *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- nvrtc_text.c ---------------------------------------------------------------------------- */

/* Makes a C++ text of a CUDA text: the words in front, the text with what cannot be words changed
 * in place (lines keep their numbers), and the entries of its kernels behind. `target` is 90 for
 * sm_90. */
void nvrtc_translate(nvrtc_bytes *to, const char *source, const char *name, int target);

/* ---- nvrtc_compile.c ------------------------------------------------------------------------- */

/* Compiles such a text into the bytes of a shared object by the system's C++ compiler. `fuses`: it
 * may fuse products and sums. False, with its words in `log`, when it refuses, or is not there. */
bool nvrtc_compile(const nvrtc_bytes *text, const char *const *defines, int define_count,
                   bool fuses, nvrtc_bytes *object, nvrtc_bytes *log);

#endif
