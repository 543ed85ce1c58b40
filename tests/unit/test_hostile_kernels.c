/* A kernel text cannot make the process read or write outside its fields, run for ever, exhaust
 * memory or overflow the stack, and cannot break out of the C text that is generated from it. Each
 * ends in a message or in a correct run, see hostile_kernels_child.c. */
/* Labels: compiler slow */
#include "hostile_kernels.h"
#include "sanitized.h"

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
    static const int depths[] = {50, 490, 100000};
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
    const bool few = is_sanitized();
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        text program = program_of("%s", i % 2 ? HEAD "v = u; " : "");
        int64_t room = (i % 4 || few ? LONGEST / 8 : LONGEST) - (int64_t)program.length;
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

/* ---- the C compiler -------------------------------------------------------------------------- */

/* Kernels that took the C compiler between half a minute and two minutes: each is refused, or
 * compiled with flags that keep it within seconds. */
static void giant_kernels_compile_in_seconds(void **state)
{
    (void)state;
    statements_must_run("    double x = u;\n"
                        "    for (int q = 0; q < 950; q++) for (int r = 0; r < 20; r++)\n"
                        "        x = fma(x, 0.5, u);\n    v = x;\n");
    statements_must_run("    double s = 0;\n"
                        "    for (int i = -10; i <= 10; i++) for (int j = -10; j <= 10; j++)\n"
                        "        s += (1.0 + 0.01*i*j)*u[i,j];\n    v = s;\n");
    must_run(program_of("kernel f(in int u, out int v)\n{\n    int x = u;\n"
                        "    for (int q = 0; q < 600; q++) x = x + u/(u + x);\n    v = x;\n}\n"));
    /* cheap operations, but a thousand values that all live until the last is made */
    must_run(program_of("kernel f(in double u, out double v)\n{\n    double w[1024], s = 0;\n"
                        "    for (int q = 0; q < 1024; q++) w[q] = u*q;\n"
                        "    for (int q = 0; q < 1024; q++) s += w[q];\n    v = s;\n}\n"));
    must_run(program_of("kernel f(in double u, out double v[600])\n{\n"
                        "    for (int q = 0; q < 600; q++) v[q] = u*q;\n}\n"));
}

static text program_of_many(int count, const char *format)
{
    text program = program_of(HEAD "    v = u;\n");
    for (int i = 0; i < count; i++) {
        text_add(&program, "    ");
        text_add(&program, format, i);
        text_add(&program, "\n");
    }
    text_add(&program, TAIL);
    return program;
}

static void what_would_take_minutes_to_compile_is_refused(void **state)
{
    (void)state;
    must_be_refused(program_of_many(900, "v += random(%d);"));
    assert_non_null(strstr(hostile_message, "kernel 'f' takes too much work to compile"));
    must_be_refused(program_of_many(200, "v += sin(u + %d);"));
    must_be_refused(program_of("kernel f(in int u, out int v)\n{\n    int x = u;\n"
                               "    for (int p = 0; p < 9; p++)\n"
                               "        for (int q = 0; q < 100; q++) x = x + u/(u + x);\n"
                               "    v = x;\n}\n"));
    must_be_refused(program_of("kernel f(in double u, sum double r[400])\n{\n"
                               "    for (int q = 0; q < 400; q++) r[q] += u*q;\n}\n"));
    must_be_refused(program_of(
        "kernel f(in double u, out double v, double w[256])\n{\n    double s = 0;\n"
        "    for (int q = 0; q < 100; q++) s += w[(long)(u*q) & 255];\n    v = s;\n}\n"));
    text ifs = program_of(HEAD "    double w[64];\n    for (int q = 0; q < 64; q++) w[q] = u;\n");
    for (int i = 0; i < 120; i++)
        text_add(&ifs, "    if (u > %d) for (int q = 0; q < 64; q++) w[q] = %d.5*u + q;\n", i, i);
    text_add(&ifs, "    v = 0;\n    for (int q = 0; q < 64; q++) v += w[q];\n" TAIL);
    must_be_refused(ifs);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void giant_tables_are_refused(void **state)
{
    (void)state;
    static const char *const lengths[] = {"65537",
                                          "256][256][2",
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

/* ---- offsets and indices
 * ---------------------------------------------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting_of_every_construct_ends),
        cmocka_unit_test(unclosed_nesting_as_long_as_a_text_may_be_ends),
        cmocka_unit_test(loops_end),
        cmocka_unit_test(exponential_calls_end),
        cmocka_unit_test(exponential_expressions_end),
        cmocka_unit_test(giant_kernels_compile_in_seconds),
        cmocka_unit_test(what_would_take_minutes_to_compile_is_refused),
        cmocka_unit_test(giant_tables_are_refused),
        cmocka_unit_test(many_tables_and_arrays_end),
        cmocka_unit_test(many_kernels_params_and_names_end),
        cmocka_unit_test(giant_literals_end),
        cmocka_unit_test(long_names_end),
        cmocka_unit_test(names_of_c_are_only_names),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(parts_of_texts_are_harmless),
        cmocka_unit_test(texts_too_long_are_refused),
        cmocka_unit_test(offsets_stay_inside),
        cmocka_unit_test(indices_known_at_run_time_stay_inside),
        cmocka_unit_test(names_of_files_do_not_break_out),
        cmocka_unit_test(texts_of_asserts_do_not_break_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
