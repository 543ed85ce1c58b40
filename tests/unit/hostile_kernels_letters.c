/* Texts whose letters are the trouble: long, not of ASCII, or meant to break out of messages and of
 * the C text that is generated. */
#include "hostile_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- letters --------------------------------------------------------------------------------- */

void giant_literals_end(void **state)
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

void long_names_end(void **state)
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

void names_of_c_are_only_names(void **state)
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

void bytes_that_are_no_text_are_refused(void **state)
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

/* Texts that bring along what they import. */
void parts_of_texts_are_harmless(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\n#file \"a@b\"\n",
        "\n#file \"@\"\nconst int n = 1;\n",
        "\n#file \"@",
        "\n#file \"a.kata\"@",
        "\n#file \"a.kata\"",
        "\n#file \"\"\n",
        "\n#file \"\n",
        "#file \"a.kata\"\n",
        "import \"a.kata\";\n#file \"a.kata\"\n@",
        "import \"a.kata\";\n#file \"a.kata\"\nimport \"a.kata\";\n",
        "import \"a.kata\";\n#file \"a.kata\"\nimport \"/etc/passwd.kata\";\n",
        "import \"a.kata\";\n#file \"../a.kata\"\n",
        ("import \"a.kata\";\n#file \"a.kata\"\nimport \"b.kata\";\n#file \"b.kata\"\nimport "
         "\"a.kata\";")};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        for (int letter = 0; letter < 3; letter++) {
            char copy[200];
            size_t length = strlen(texts[i]);
            memcpy(copy, texts[i], length + 1);
            for (char *at; (at = strchr(copy, '@'));)
                *at = letter == 1 ? '\x1b' : letter ? '\xff' : 1;
            for (size_t p = 0; p < length; p++)
                if (copy[p] == 1) copy[p] = 0;
            hostile_attempt a = {"parts.kata", copy, length, true, false};
            assert_int_equal(hostile_try(&a), HOSTILE_REFUSED);
            assert_null(strchr(hostile_message, '\x1b'));
        }
    text many = {0}, same = program_of("import \"a.kata\";");
    repeat(&many, "\n#file \"a.kata\"", LONGEST / 16);
    must_be_refused(many);
    repeat(&same, "\n#file \"a.kata\"\n;", LONGEST / 18);
    must_be_refused(same);
}

void texts_too_long_are_refused(void **state)
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

/* ---- generated C ----------------------------------------------------------------------------- */

void names_of_files_do_not_break_out(void **state)
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

void texts_of_asserts_do_not_break_out(void **state)
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
