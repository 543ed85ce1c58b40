/* Kernel texts that try to do harm, each in a process of its own that may use little memory, time
 * and stack. */
#ifndef TESTS_HOSTILE_KERNELS_H
#define TESTS_HOSTILE_KERNELS_H

#include "base/base.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

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

/* ---- hostile_kernels_letters.c -----------------------------------------------------------------
 */

void giant_literals_end(void **state);
void long_names_end(void **state);
void names_of_c_are_only_names(void **state);
void bytes_that_are_no_text_are_refused(void **state);
void parts_of_texts_are_harmless(void **state);
void texts_too_long_are_refused(void **state);
void names_of_files_do_not_break_out(void **state);
void texts_of_asserts_do_not_break_out(void **state);

/* ---- programs ----------------------------------------------------------------------------------
 */

enum { MEGABYTE = 1 << 20, LONGEST = (4 << 20) - 100 };

#define HEAD "kernel f(in double u, out double v)\n{\n"
#define TAIL "}\n"

static inline text program_of(const char *format, ...)
{
    text program = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&program, format, list);
    va_end(list);
    return program;
}

static inline void repeat(text *out, const char *piece, int64_t times)
{
    enum { AT_ONCE = 256 };
    text many = {0};
    for (int i = 0; i < AT_ONCE && i < times; i++) text_add(&many, "%s", piece);
    for (; times >= AT_ONCE; times -= AT_ONCE) text_add(out, "%s", text_get(&many));
    for (; times > 0; times--) text_add(out, "%s", piece);
    text_free(&many);
}

static inline void must_be_refused(text program)
{
    assert_int_equal(hostile_try_text(&program, false), HOSTILE_REFUSED);
}

static inline void must_run(text program)
{
    assert_int_equal(hostile_try_text(&program, true), HOSTILE_RAN);
}

static inline void must_not_harm(text program)
{
    assert_int_not_equal(hostile_try_text(&program, false), HOSTILE_HARM);
}

/* Statements of one kernel. */
static inline void statements_must_run(const char *statements)
{
    must_run(program_of(HEAD "%s" TAIL, statements));
}

static inline void statements_must_be_refused(const char *statements)
{
    must_be_refused(program_of(HEAD "%s" TAIL, statements));
}

#endif
