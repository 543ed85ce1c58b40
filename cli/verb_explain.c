/* kata explain: of a kernel file, what its kernels cost, or the C made of them; of a program, by
 * the environment that makes the library show its plans, what its kernels cost, and why chains
 * ended. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked for. */
typedef struct explain_options {
    option_words words;
    const char *to, *plan, *picture, *constants;
    bool json, quick, code;
} explain_options;

static bool is_kernel_file(const char *word)
{
    size_t length = strlen(word);
    return length > 5 && !strcmp(word + length - 5, ".kata");
}

/* ---- a kernel file --------------------------------------------------------------------------- */

static bool explain_kernel(kata_kernel *kernel, const explain_options *asked,
                           const kata_ceilings *measured, FILE *to)
{
    const char *shown = asked->code ? kata_kernel_describe(kernel, KATA_CODE)
                                    : kata_kernel_explain(kernel, measured, asked->json);
    return shown && fputs(shown + (*shown == '\n'), to) >= 0;
}

static void explain_module(kata *k, kata_module *m, const explain_options *asked, FILE *to)
{
    const char *name = asked->words.count > 1 ? asked->words.words[1] : NULL;
    kata_kernel *one = m && name ? kata_kernel_find(m, name) : NULL;
    kata_ceilings measured;
    bool bounded = m && (one || !name) && !asked->quick && !asked->code &&
                   kata_ceilings_measure(k, &measured) == KATA_OK;
    for (int i = 0; m && i < (name ? 1 : kata_module_kernels(m)); i++) {
        kata_kernel *kernel = name ? one : kata_module_kernel(m, i);
        if (i && !asked->json) fputc('\n', to);
        if (kernel && !explain_kernel(kernel, asked, bounded ? &measured : NULL, to)) return;
    }
}

static int explain_file(const explain_options *asked)
{
    FILE *to = asked->to ? fopen(asked->to, "a") : stdout;
    if (!to) {
        fprintf(stderr, "kata explain: cannot write %s: %s\n", asked->to, strerror(errno));
        return 1;
    }
    kata *k = kata_open(NULL);
    explain_module(k, kata_module_load(k, asked->words.words[0], .constants = asked->constants),
                   asked, to);
    bool written = to == stdout || fclose(to) == 0;
    if (!written) fprintf(stderr, "kata explain: cannot write %s\n", asked->to);
    return kata_close(k) || !written;
}

static int check_file_options(const options *o, const explain_options *asked)
{
    if (asked->words.count > 2)
        return options_wrong(o, "a file and one kernel of it are enough; there is '%s', too",
                             asked->words.words[2]);
    if (asked->plan || asked->picture)
        return options_wrong(o, "--%s is for a program: %s is a kernel file",
                             asked->plan ? "plan" : "svg", asked->words.words[0]);
    if (asked->code && asked->json)
        return options_wrong(o, "--code shows C: there is no JSON of it");
    return 0;
}

/* ---- a program ------------------------------------------------------------------------------- */

static int check_program_options(const options *o, const explain_options *asked)
{
    if (asked->words.count < 1)
        return options_wrong(o, "say what to run, or a kernel file: kata explain -- PROGRAM");
    if (asked->code || asked->constants)
        return options_wrong(o, "--%s is for a kernel file, whose name ends in .kata",
                             asked->code ? "code" : "constants");
    if (asked->json && asked->picture)
        return options_wrong(o, "--json and --svg are two forms: choose one");
    if (asked->picture && (strlen(asked->picture) != 1 || !strchr("xyz", *asked->picture)))
        return options_wrong(o, "--svg takes x, y or z, not '%s'", asked->picture);
    return 0;
}

static void say_error(void *data, kata_status status, const char *message)
{
    (void)data, (void)status;
    fprintf(stderr, "kata explain: %s\n", message + strlen("error: "));
}

/* The library knows what a plan is. */
static bool check_plan(const char *plan)
{
    kata *k = kata_open(&(kata_options){.plan = plan, .handler = say_error, .no_warnings = true});
    return k && kata_close(k) == KATA_OK;
}

static int explain_program(const options *o, const explain_options *asked)
{
    const char *form = asked->json ? "json" : asked->picture ? asked->picture : "text";
    if (asked->plan && !check_plan(asked->plan)) return EXIT_USAGE;
    if (setenv("KATA_EXPLAIN", form, 1) ||
        setenv("KATA_EXPLAIN_QUICK", asked->quick ? "1" : "0", 1) ||
        (asked->plan && setenv("KATA_PLAN", asked->plan, 1)) ||
        (asked->to && setenv("KATA_EXPLAIN_FILE", asked->to, 1))) {
        fprintf(stderr, "kata explain: %s\n", strerror(errno));
        return 1;
    }
    return become(o->program, asked->words.words, asked->words.count);
}

int verb_explain(int argc, char **argv)
{
    explain_options asked = {.json = false};
    const option table[] = {
        {"FILE.kata|PROGRAM ARGUMENT",
         "a kernel file, with one of its kernels or without; or what to run", .list = &asked.words,
         .positional = true},
        {"code", "of a kernel file: the C that is generated", .flag = &asked.code},
        {"constants", "of a kernel file: values of its constants, as in \"R=8, C=0.5\"",
         .text = &asked.constants, .otherwise = "those in the file"},
        {"plan", "of a program: a method and its sizes, as in 'skewed y=16 z=8'",
         .text = &asked.plan, .placeholder = "WORDS", .otherwise = "loops"},
        {"svg", "of a program: a picture of points along x, y or z and of loops",
         .text = &asked.picture, .placeholder = "DIMENSION", .otherwise = "none"},
        {"json", "as JSON, an object per line", .flag = &asked.json},
        {"quick", "measure nothing: no ceilings, no rates", .flag = &asked.quick},
        {"to", "add it there", .text = &asked.to, .placeholder = "FILE",
         .otherwise = "standard output for a file, standard error for a program"},
    };
    const options o = {
        "kata explain",
        "Of a kernel file: shows what each kernel reads and writes, its operations and bytes per\n"
        "point, and the rate that this machine allows. Of a program that uses Katagami: runs it "
        "and\n"
        "shows how its chains of loops are planned (docs/planning.md: methods loops, skewed,\n"
        "diamond, overlapped, streamed, fused, single, blocked), what its kernels cost, how fast\n"
        "they ran, and why its chains ended (docs/explain.md). The program may be kata itself:\n"
        "kata explain --plan 'skewed y=8' -- kata apply heat.kata ...\n",
        table, COUNT_OF(table)};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;
    bool file = asked.words.count > 0 && is_kernel_file(asked.words.words[0]);
    int wrong = file ? check_file_options(&o, &asked) : check_program_options(&o, &asked);
    if (wrong) return wrong;
    return file ? explain_file(&asked) : explain_program(&o, &asked);
}
