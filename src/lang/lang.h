/* lang: kernel text to IR trees. docs/language.md is the language. */
#ifndef LANG_LANG_H
#define LANG_LANG_H

#include "ir/ir.h"

typedef struct lang_module {
    source text; /* owned copy */
    ir_kernel **kernels;
    ir_kernel **narrow; /* per kernel: with `real` as float, where kernels[i] has it as double; NULL
                           of kernels that do not use it */
    int count;
    arena memory; /* of everything above, trees included */
} lang_module;

enum { LANG_MAX_TEXT = 4 << 20 }; /* bytes of a kernel file */

/* What a text is compiled with. All members may be zero. */
typedef struct lang_options {
    const char *constants; /* "R=8, C=0.5": values of constants of the file; NULL: none */
} lang_options;

/* Parses, checks and lowers a kernel text. On error *out stays as it was. */
kata_status lang_compile(const char *name, const char *text, size_t length, messages *m,
                         lang_module **out);
kata_status lang_compile_with(const char *name, const char *text, size_t length,
                              const lang_options *options, messages *m, lang_module **out);
void lang_module_free(lang_module *module);

#endif
