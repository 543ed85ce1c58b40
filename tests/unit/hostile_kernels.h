/* Kernel texts that try to do harm, each in a process of its own that may use little memory, time
 * and stack. */
#ifndef TESTS_HOSTILE_KERNELS_H
#define TESTS_HOSTILE_KERNELS_H

#include "base/base.h"

/* How a process ended that loaded a text and, where that worked, ran its kernels. */
typedef enum hostile_end {
    HOSTILE_RAN, /* all of its kernels, with the same bits as the reference if it was compiled */
    HOSTILE_REFUSED, /* by a message, when it was loaded, applied or run */
    HOSTILE_HARM /* a signal, a wrong result, a field changed that was none of its business, or a
                    limit of memory or time; it was printed */
} hostile_end;

typedef struct hostile_attempt {
    const char *name; /* of the text, or of the file that it is written to */
    const char *text;
    size_t length;
    bool file;     /* load it from a file */
    bool compiled; /* run it compiled, too */
} hostile_attempt;

hostile_end hostile_try(const hostile_attempt *attempt);
/* The same for a text, which it frees. */
hostile_end hostile_try_text(text *program, bool compiled);
/* The message of the last attempt that was refused. */
extern char hostile_message[4096];

#endif
