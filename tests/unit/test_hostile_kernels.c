/* A kernel text cannot make the process read or write outside its fields, run for ever, exhaust
 * memory or overflow the stack, and cannot break out of the C text that is generated from it. Each
 * ends in a message or in a correct run, see hostile_kernels_child.c. */
#include "hostile_kernels.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEGABYTE = 1 << 20, LONGEST = (4 << 20) - 100 };

#define HEAD "kernel f(in double u, out double v)\n{\n"
#define TAIL "}\n"

static text program_of(const char *format, ...)
{
    text program = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&program, format, list);
    va_end(list);
    return program;
}

static void repeat(text *out, const char *piece, int64_t times)
{
    enum { AT_ONCE = 256 };
    text many = {0};
    for (int i = 0; i < AT_ONCE && i < times; i++) text_add(&many, "%s", piece);
    for (; times >= AT_ONCE; times -= AT_ONCE) text_add(out, "%s", text_get(&many));
    for (; times > 0; times--) text_add(out, "%s", piece);
    text_free(&many);
}

static void must_be_refused(text program)
{
    assert_int_equal(hostile_try_text(&program, false), HOSTILE_REFUSED);
}

static void must_run(text program)
{
    assert_int_equal(hostile_try_text(&program, true), HOSTILE_RAN);
}

static void must_not_harm(text program)
{
    assert_int_not_equal(hostile_try_text(&program, false), HOSTILE_HARM);
}

/* Statements of one kernel. */
static void statements_must_run(const char *statements)
{
    must_run(program_of(HEAD "%s" TAIL, statements));
}

static void statements_must_be_refused(const char *statements)
{
    must_be_refused(program_of(HEAD "%s" TAIL, statements));
}

/* ---- nesting --------------------------------------------------------------------------------- */

static void nesting_of_every_construct_ends(void **state)
{
    (void)state;
    static const struct {
        const char *before, *open, *middle, *close, *after;
    } constructs[] = {
        {"v = ", "(", "u", ")", ";"},
        {"v = ", "-", "u", "", ";"},
        {"v = ", "!", "u", "", ";"},
        {"v = ", "(float)", "u", "", ";"},
        {"v = ", "sqrt(", "u", ")", ";"},
        {"v = ", "u + (", "u", ")", ";"},
        {"v = ", "u ? ", "u", " : 0", ";"},
        {"v = ", "u ? 1 : ", "u", "", ";"},
        {"v = ", "min(u, ", "u", ")", ";"},
        {"v = ", "u + ", "u", "", ";"},
        {"v = ", "u && ", "u", "", ";"},
        {"double w[2] = {0}; int i = 0; v = ", "w[(int)", "i", "]", ";"},
        {"v = u; ", "{", "", "}", ""},
        {"v = u; ", "if (u > 0) ", "v = 1;", "", ""},
        {"v = u; ", "if (u > 0) {} else ", "v = 1;", "", ""},
        {"v = u; ", "if (u > 0) { v = 2; ", "v = 1;", "}", ""},
        {"v = u; ", "for (int q = 0; q < 1; q++) ", "v = 1;", "", ""},
        {"v = u; ", "for (int q = 0; q < 2; q++) ", "v = 1;", "", ""},
        {"v = u; const int a = ", "(", "1", ")", ";"},
        {"v = u; double w[1] = ", "{", "1", "}", ";"},
        {"v = u", "[", "0", "]", ";"},
    };
    static const int depths[] = {50, 490, 600, 100000};
    for (size_t i = 0; i < COUNT_OF(constructs); i++)
        for (size_t d = 0; d < COUNT_OF(depths); d++) {
            text program = program_of(HEAD "%s", constructs[i].before);
            repeat(&program, constructs[i].open, depths[d]);
            text_add(&program, "%s", constructs[i].middle);
            repeat(&program, constructs[i].close, depths[d]);
            text_add(&program, "%s\n" TAIL, constructs[i].after);
            if (depths[d] > 500 && *constructs[i].close)
                must_be_refused(program);
            else
                must_not_harm(program);
        }
}

static void unclosed_nesting_as_long_as_a_text_may_be_ends(void **state)
{
    (void)state;
    static const char *const pieces[] = {"(",       "{",          "[",       "-",  "!",  "u?",
                                         "if(u)",   "\"",         "/*",      "0x", "#",  "kernel ",
                                         "static ", "const int ", "import ", ";",  "\n", "for(",
                                         "f(",      "a,",         "1e",      "'",  "\\", "else "};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        text program = program_of("%s", i % 2 ? HEAD "v = u; " : "");
        int64_t room = LONGEST - (int64_t)program.length;
        repeat(&program, pieces[i], room / (int64_t)strlen(pieces[i]));
        must_not_harm(program);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void loops_end(void **state)
{
    (void)state;
    statements_must_be_refused(
        "    v = u;\n"
        "    for (int a = 0; a < 1000; a++) for (int b = 0; b < 1000; b++)\n"
        "    for (int c = 0; c < 1000; c++) for (int d = 0; d < 1000; d++) v += 1;\n");
    statements_must_be_refused(
        "    v = u;\n"
        "    for (int a = 0; a < 1000; a++) for (int b = 0; b < 1000; b++)\n"
        "    for (int c = 0; c < 1000; c++) for (int d = 0; d < 1000; d++) {}\n");
    statements_must_be_refused("    v = u; for (int q = 0; true; q++) {}\n");
    statements_must_be_refused("    v = u; for (int q = 0; q < 1; q += 0) {}\n");
    statements_must_be_refused("    v = u; for (int q = 0; q < 1; q = q) v = 1;\n");
    statements_must_be_refused("    v = u; for (int q = 0; q >= 0; q = (q + 1) % 5) {}\n");
    statements_must_be_refused("    v = u; for (long q = 0; q < 9223372036854775807; q++) {}\n");
    statements_must_be_refused("    v = u; for (double x = 0; x < 1; x += 1e-300) {}\n");
    statements_must_be_refused("    v = u; for (uchar q = 0; q < 256; q++) {}\n");
    statements_must_be_refused("    v = u; int n = 0; for (n = 0; n < 5; n++) n--;\n");
}

static text helpers_that_call_twice(int count, const char *call)
{
    text program = program_of("static double h0(in double u) { return u[1,0]; }\n");
    for (int i = 1; i < count; i++) {
        text_add(&program, "static double h%d(in double u) { return ", i);
        text_add(&program, call, i - 1, i - 1);
        text_add(&program, "; }\n");
    }
    text_add(&program, HEAD "    v = h%d(u);\n" TAIL, count - 1);
    return program;
}

static void exponential_calls_end(void **state)
{
    (void)state;
    must_be_refused(helpers_that_call_twice(60, "h%d(u) + h%d(u)"));
    must_be_refused(helpers_that_call_twice(400, "h%d(u[1,0]) + h%d(u[-1,0])"));
    must_be_refused(helpers_that_call_twice(60, "0*h%d(u) + 0*h%d(u)"));
    must_be_refused(helpers_that_call_twice(60, "false ? h%d(u) + h%d(u) : 1"));
    must_be_refused(helpers_that_call_twice(10000, "h%d(u)"));
    text loops = program_of("static double h0(double x) { return x; }\n");
    for (int i = 1; i < 10; i++)
        text_add(&loops,
                 "static double h%d(double x)\n{\n    double y = x;\n"
                 "    for (int q = 0; q < 1000; q++) y = h%d(y);\n    return y;\n}\n",
                 i, i - 1);
    text_add(&loops, HEAD "    v = h9(u);\n" TAIL);
    must_be_refused(loops);
}

static void exponential_expressions_end(void **state)
{
    (void)state;
    text program = program_of("const int c0 = 1;\n");
    for (int i = 1; i < 20000; i++)
        text_add(&program, "const int c%d = c%d + c%d*c%d;\n", i, i - 1, i - 1, i - 1);
    text_add(&program, HEAD "    v = u*c19999;\n" TAIL);
    must_run(program);
    program = program_of(HEAD "    double x = u;\n"
                              "    for (int q = 0; q < 3000; q++) x = x*x + x;\n    v = x;\n" TAIL);
    must_not_harm(program);
    /* each step doubles the paths, and every variable depends on the condition */
    program = program_of(HEAD "    double x = u, y = 1;\n    for (int q = 0; q < 500; q++)\n"
                              "        if (x > y) { x = y + q; y = x; } else { y = x - q; }\n"
                              "    v = x + y;\n" TAIL);
    must_not_harm(program);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void giant_tables_are_refused(void **state)
{
    (void)state;
    static const char *const lengths[] = {"1025",
                                          "1000000000",
                                          "2147483647",
                                          "2147483648",
                                          "4294967297",
                                          "9223372036854775807",
                                          "1024][1024",
                                          "65536][65536",
                                          "2147483648][2",
                                          "-1",
                                          "0",
                                          "1024*1024*1024*4",
                                          "1 << 31"};
    static const char *const forms[] = {
        "kernel f(in double u, out double v) { double w[%s]; v = u; }\n",
        "kernel f(in double u, out double v) { const int w[%s] = {1}; v = u; }\n",
        "kernel f(in double u, out double v, double w[%s]) { v = u + w[0]; }\n",
        "const double w[%s] = {1};\nkernel f(in double u, out double v) { v = u; }\n",
        "kernel f(in double u[%s], out double v) { v = u[0]; }\n",
        "kernel f(in double u, sum double r[%s]) { r[0] += u; }\n"};
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (size_t j = 0; j < COUNT_OF(forms); j++) {
            text program = {0}; /* the forms are formats of this file */
            const char *hole = strstr(forms[j], "%s");
            text_add(&program, "%.*s%s%s", (int)(hole - forms[j]), forms[j], lengths[i], hole + 2);
            must_be_refused(program);
        }
}

static void many_tables_and_arrays_end(void **state)
{
    (void)state;
    text program = program_of(HEAD "    v = u;\n");
    for (int i = 0; i < 20000; i++) text_add(&program, "    double a%d[1024] = {0};\n", i);
    text_add(&program, TAIL);
    must_not_harm(program);
    program =
        program_of(HEAD "    v = u;\n    for (int i = 0; i < 1000; i++)\n"
                        "        for (int j = 0; j < 1000; j++) { double a[1024] = {0}; }\n" TAIL);
    must_not_harm(program);
    program = program_of("%s", "");
    for (int i = 0; i < 100000; i++) text_add(&program, "const double t%d[1024] = {0};\n", i);
    must_not_harm(program);
    program = program_of("%s", "");
    for (int i = 0; i < 50000; i++)
        text_add(&program, "kernel k%d(out double v) { const int t[1024] = {1}; v = t[3]; }\n", i);
    must_not_harm(program);
}

static void many_kernels_params_and_names_end(void **state)
{
    (void)state;
    text program = {0};
    for (int i = 0; program.length < LONGEST; i++)
        text_add(&program, "kernel k%d(out double v) { v = %d; }\n", i, i);
    must_not_harm(program);
    program = program_of("kernel f(out double v");
    for (int i = 0; i < 100000; i++) text_add(&program, ", double p%d", i);
    text_add(&program, ") { v = 1; }\n");
    must_not_harm(program);
    program = program_of("kernel f(out double v");
    for (int i = 0; i < 1000; i++) text_add(&program, ", in double p%d[1024]", i);
    text_add(&program, ") { v = 1; for (int q = 0; q < 1000; q++) v += p0[q] + p999[q]; }\n");
    must_not_harm(program);
    program = program_of("static double h() { return 1; }\n" HEAD "    v = u;\n");
    for (int i = 0; program.length < LONGEST; i++)
        text_add(&program, "    double a%d = hh();\n", i);
    text_add(&program, TAIL);
    must_be_refused(program);
    program = program_of(HEAD "    v = u;\n");
    for (int i = 0; program.length < LONGEST; i++) text_add(&program, "    assert(u < %d);\n", i);
    text_add(&program, TAIL);
    must_not_harm(program);
}

/* ---- letters --------------------------------------------------------------------------------- */

static void giant_literals_end(void **state)
{
    (void)state;
    static const char *const starts[] = {"1",  "0x1", "1e",   "1e-", "0.",
                                         "1.", "0",   "0x1p", ".0",  "1_"};
    static const char *const digits[] = {"0", "9"};
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        for (size_t j = 0; j < COUNT_OF(digits); j++) {
            text program = program_of(HEAD "    v = u + %s", starts[i]);
            repeat(&program, digits[j], MEGABYTE);
            text_add(&program, ";\n" TAIL);
            must_not_harm(program);
        }
    statements_must_be_refused("    v = u + 1e999999999;\n");
    statements_must_be_refused("    v = u + 9223372036854775808;\n");
    statements_must_run("    v = u + 4.9e-324 - 1.7976931348623157e308;\n");
    statements_must_run(
        "    v = u + (-9223372036854775807 - 1)/-1 + (-9223372036854775807 - 1)%-1;\n");
    statements_must_run("    v = (1 << 31) + (1 << 32) + (1 << -1) + (-1 >> 99) + abs(1 << 31);\n");
}

static void long_names_end(void **state)
{
    (void)state;
    char *name = malloc(MEGABYTE);
    assert_non_null(name);
    memset(name, 'a', MEGABYTE - 1);
    name[MEGABYTE - 1] = 0;
    must_not_harm(program_of("kernel %s(in double u, out double v) { v = u; }\n", name));
    must_not_harm(program_of("kernel f(in double %s, out double v) { v = 1; }\n", name));
    must_not_harm(program_of("kernel f(out double v) { double %s = 1; v = %s; }\n", name, name));
    must_be_refused(program_of("kernel f(out double v) { double %s = 1; v = %sb; }\n", name, name));
    must_be_refused(program_of("static double %s() { return 1; }\nkernel f(out double v)\n"
                               "{\n    v = %sb();\n}\n",
                               name, name));
    must_be_refused(program_of("import \"%s.kata\";\n", name));
    must_not_harm(program_of(HEAD "    v = u; assert(u < 1, \"%s\");\n" TAIL, name));
    free(name);
}

static void names_of_c_are_only_names(void **state)
{
    (void)state;
    static const char *const names[] = {"asm",     "main",      "__attribute__",
                                        "_Pragma", "__LINE__",  "NULL",
                                        "int64_t", "view",      "number",
                                        "lo",      "hi",        "size",
                                        "kata",    "kata_view", "kata_value",
                                        "memcpy",  "system",    "errno",
                                        "inline_", "define",    "include",
                                        "x",       "y",         "z",
                                        "v1",      "t1",        "n0",
                                        "o0",      "r0",        "first",
                                        "failing", "_Generic",  "__asm__",
                                        "typeof",  "exit",      "abort",
                                        "linux",   "unix",      "INFINITY",
                                        "M_PI",    "restrict_"};
    text program = {0};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        text_add(&program,
                 "static double %s_h(double %s) { double kata_%s = %s; return kata_%s; }\n"
                 "kernel %s(in double u_%s, out double %s_v, double %s)\n"
                 "{\n    %s_v = u_%s[1,0] + %s_h(%s);\n    assert(%s < 2, \"%s\");\n}\n",
                 names[i], names[i], names[i], names[i], names[i], names[i], names[i], names[i],
                 names[i], names[i], names[i], names[i], names[i], names[i], names[i]);
    must_run(program);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        char inside[] = "kernel f(in double u, out double v) { v = u@; }\n";
        char comment[] = "kernel f(in double u, out double v) { v = u; } /* @ */ // @\n";
        bool harmless = byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == ';' ||
                        (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                        (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
        for (char *at; (at = strchr(comment, '@'));) *at = (char)(byte == '@' ? '!' : byte);
        *strchr(inside, '@') = (char)byte;
        hostile_attempt a = {"bytes.kata", inside, sizeof inside - 1, true, false};
        hostile_end end = hostile_try(&a);
        assert_int_equal(end == HOSTILE_HARM || (end == HOSTILE_RAN && !harmless), 0);
        for (const char *p = hostile_message; *p; p++)
            assert_true(*p == '\n' || (unsigned char)*p >= ' ');
        a = (hostile_attempt){"bytes.kata", comment, sizeof comment - 1, true, false};
        assert_int_not_equal(hostile_try(&a), HOSTILE_HARM);
    }
}

static void texts_too_long_are_refused(void **state)
{
    (void)state;
    size_t size = 10 * MEGABYTE;
    char *blanks = malloc(size);
    assert_non_null(blanks);
    memset(blanks, ' ', size);
    hostile_attempt a = {"long.kata", blanks, size, true, false};
    assert_int_equal(hostile_try(&a), HOSTILE_REFUSED);
    memset(blanks, 'a', size);
    assert_int_equal(hostile_try(&a), HOSTILE_REFUSED);
    free(blanks);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void offsets_stay_inside(void **state)
{
    (void)state;
    statements_must_run("    v = u[1024,0] + u[-1024,0] + u[0,1024] + u[-1024,-1024];\n");
    static const char *const outside[] = {"1025",
                                          "-1025",
                                          "2147483647",
                                          "-2147483647 - 1",
                                          "2147483647 + 1",
                                          "2147483648",
                                          "4294967296",
                                          "4294967297",
                                          "9223372036854775807",
                                          "-9223372036854775807 - 1",
                                          "1 << 31",
                                          "(int)1e300",
                                          "(int)(0.0/0.0) + 5000"};
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        must_be_refused(program_of(HEAD "    v = u[%s,0];\n" TAIL, outside[i]));
    must_be_refused(program_of("kernel f(in double u, out double v) { v[4294967296,0] = u; }\n"));
    must_be_refused(program_of("kernel f(in double u, out double v) { v[1,0] = u; }\n"));
    must_be_refused(program_of("kernel f(in double u[3], out double v) { v = u[3]; }\n"));
    must_be_refused(program_of("kernel f(in double u[3], out double v) { v = u[-1]; }\n"));
    must_be_refused(program_of("kernel f(in double u[3], out double v) { v = u[4294967296]; }\n"));
    must_be_refused(program_of("kernel f(in double u[3], out double v) { v = u[(int)ix]; }\n"));
    must_be_refused(program_of("static double far(in double u) { return u[1000,0]; }\n" HEAD
                               "    v = far(u[1000,0]);\n" TAIL));
}

static void indices_known_at_run_time_stay_inside(void **state)
{
    (void)state;
    static const char *const indices[] = {"ix*1000000000000",
                                          "-ix",
                                          "-1",
                                          "(long)(u*1e300)",
                                          "(long)(u/0.0)",
                                          "(int)(ix << 31)",
                                          "4294967296*(ix + 1)",
                                          "(long)1e19*(ix + 1)",
                                          "2 + iy",
                                          "ix - 9223372036854775807"};
    for (size_t i = 0; i < COUNT_OF(indices); i++) {
        text program =
            program_of("const double t[3] = {1, 2, 3};\n"
                       "kernel a(in double u, out double v) { v = t[%s]; }\n"
                       "kernel b(in double u, out double v, double w[2]) { v = w[%s]; }\n"
                       "kernel c(in double u, out double v) { double w[2] = {1, 2}; v = w[%s]; }\n"
                       "kernel d(in double u, out double v) { v = 1; assert(t[%s] > 0, \"d\"); }\n",
                       indices[i], indices[i], indices[i], indices[i]);
        must_not_harm(program);
    }
    must_run(program_of(
        "const double t[3] = {1, 2, 3};\n"
        "kernel a(in double u, out double v) { v = t[(int)min(max(ix*1000000000000, 0), 2)]; }\n"));
}

/* ---- generated C ----------------------------------------------------------------------------- */

static void names_of_files_do_not_break_out(void **state)
{
    (void)state;
    static const char *const names[] = {"a\"b",
                                        "a\\",
                                        "a\\\"",
                                        "a\nint x;",
                                        "a\"\n#include \"/etc/passwd\"\n\"",
                                        "%s%s%n%n%d",
                                        "*/ int x; /*",
                                        "?\?/",
                                        "a?\?/\"; int x;",
                                        "\xff\xfe\x80",
                                        "\x1b[31m\x07",
                                        "a\rb",
                                        "'",
                                        "\t",
                                        "//",
                                        "$(touch broken)",
                                        "`touch broken`",
                                        "; touch broken",
                                        ""};
    static const char kernel[] = HEAD "    double a = u*2;\n    v = a + u[1,0];\n"
                                      "    assert(v > -1, \"%s%n * / ?\?/\");\n" TAIL;
    setenv("KATA_DEBUG_LINES", "1", 1);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        hostile_attempt a = {names[i], kernel, sizeof kernel - 1, false, true};
        assert_int_equal(hostile_try(&a), HOSTILE_RAN);
        char file[100];
        snprintf(file, sizeof file, "%s.kata", names[i]);
        a.name = file;
        a.file = true;
        if (!strchr(names[i], '/')) assert_int_equal(hostile_try(&a), HOSTILE_RAN);
    }
    unsetenv("KATA_DEBUG_LINES");
    assert_int_not_equal(access("broken", F_OK), 0);
}

static void texts_of_asserts_do_not_break_out(void **state)
{
    (void)state;
    static const char *const texts[] = {"%s%n%n%n", "*/ int x; /*", "?\?/",         "'; int x;",
                                        "$(x)",     "#include <a>", "%1000000000d", "//"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        text program = program_of(HEAD "    v = u;\n    assert(u > 0, \"%s\");\n" TAIL, texts[i]);
        must_be_refused(program);
        assert_non_null(strstr(hostile_message, texts[i]));
        must_run(program_of(HEAD "    v = u;\n    assert(u < 1, \"%s\");\n" TAIL, texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting_of_every_construct_ends),
        cmocka_unit_test(unclosed_nesting_as_long_as_a_text_may_be_ends),
        cmocka_unit_test(loops_end),
        cmocka_unit_test(exponential_calls_end),
        cmocka_unit_test(exponential_expressions_end),
        cmocka_unit_test(giant_tables_are_refused),
        cmocka_unit_test(many_tables_and_arrays_end),
        cmocka_unit_test(many_kernels_params_and_names_end),
        cmocka_unit_test(giant_literals_end),
        cmocka_unit_test(long_names_end),
        cmocka_unit_test(names_of_c_are_only_names),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(texts_too_long_are_refused),
        cmocka_unit_test(offsets_stay_inside),
        cmocka_unit_test(indices_known_at_run_time_stay_inside),
        cmocka_unit_test(names_of_files_do_not_break_out),
        cmocka_unit_test(texts_of_asserts_do_not_break_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
