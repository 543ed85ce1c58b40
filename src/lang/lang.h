/* lang: kernel text to IR trees. docs/language.md is the language. */
#ifndef LANG_LANG_H
#define LANG_LANG_H

#include "ir/ir.h"

/* A text of a module. */
typedef struct lang_file {
    const source *text;
    const char *path; /* relative to the folder of the first text, without "." and ".." */
    bool open;        /* it, or a text that it imports, is being read */
    struct lang_file *next;
} lang_file;

typedef struct lang_module {
    source text;                /* owned copy */
    lang_file file, *last_file; /* its own text and imports, in the order of reading */
    ir_kernel **kernels;
    ir_kernel **f32_versions; /* per kernel: with `real` as float, where kernels[i] has it as
                           double; NULL of kernels that do not use it */
    int count;
    arena memory; /* of everything above, trees included */
} lang_module;

enum { LANG_MAX_TEXT = 4 << 20 }; /* bytes of a kernel file, with all that it imports */

/* The beginning of the line before a part of a text that has its imports behind its end. The path
 * and a quotation mark follow. */
#define LANG_PART "#file \""

/* What a text is compiled with. All members may be zero. */
typedef struct lang_options {
    const char *constants; /* "R=8, C=0.5": values of constants of the file; NULL: none */
    const char *path;      /* of the file that the text is of, which may import others */
    const char *folder;    /* where a text of no file may import from; both NULL: it may not */
    bool watched;          /* kernels check the floating values that they write: ir_kernel */
    const ir_mesh *mesh;   /* kernels on cells, edges and vertices are for this one; NULL: for
                              icosahedral grids */
    const char *only;      /* the kernel to compile; NULL: all */
} lang_options;

/* Parses, checks and lowers a kernel text; options may be NULL. On error *out stays as it was. */
kata_status lang_compile(const char *name, const char *text, size_t length,
                         const lang_options *options, messages *m, lang_module **out);
/* Adds the text of the module, and behind it its imports as parts. Returns a text that cannot be a
 * part, if there is one. */
const source *lang_module_text(const lang_module *module, text *out);
void lang_module_free(lang_module *module);

#endif
