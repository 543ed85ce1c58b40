/* kata explain. Of a kernel file it shows what kernels cost, or the C that is generated. A program
 * it runs with the environment that makes the library show plans, costs, and why chains ended. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct explain_request {
    option_words words;
    const char *to, *plan, *picture, *constants, *machine;
    bool json, quick, code;
} explain_request;

static bool is_kernel_file(const char *word)
{
    size_t length = strlen(word);
    return length > 5 && !strcmp(word + length - 5, ".kata");
}

/* ---- a kernel file --------------------------------------------------------------------------- */

static bool explain_kernel(kata_kernel *kernel, const explain_request *asked,
                           const kata_ceilings *measured, FILE *to)
{
    const char *shown = asked->code ? kata_kernel_describe(kernel, KATA_CODE)
                                    : kata_kernel_explain(kernel, measured, asked->json);
    return shown && fputs(shown + (*shown == '\n'), to) >= 0;
}

static void explain_module(kata *k, kata_module *m, const explain_request *asked, FILE *to)
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

static int explain_file(const explain_request *asked)
{
    if (asked->to && same_file(asked->to, asked->words.words[0]))
        return options_wrong(&explain_options,
                             "--to would write to %s, which is read: name another file", asked->to);
    FILE *to = asked->to ? fopen(asked->to, "a") : stdout;
    if (!to)
        return options_failed(&explain_options, "cannot write %s: %s", asked->to, strerror(errno));
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, asked->words.words[0], .constants = asked->constants);
    explain_module(k, m, asked, to);
    bool written = to == stdout || fclose(to) == 0;
    if (!written)
        options_failed(&explain_options, "cannot write %s: %s", asked->to, strerror(errno));
    bool empty = m && kata_module_kernels(m) == 0;
    if (empty) options_failed(&explain_options, "%s has no kernels", asked->words.words[0]);
    return kata_close(k) || !written || empty;
}

static int check_file_request(const explain_request *asked)
{
    const options *o = &explain_options;
    if (asked->words.count > 2)
        return options_wrong(o, "a file and one kernel of it are enough; there is '%s', too",
                             asked->words.words[2]);
    if (asked->plan || asked->picture || asked->machine)
        return options_wrong(o, "--%s is for a program: %s is a kernel file",
                             asked->plan      ? "plan"
                             : asked->picture ? "svg"
                                              : "machine",
                             asked->words.words[0]);
    if (asked->code && asked->json)
        return options_wrong(o, "--code shows C: there is no JSON of it");
    return 0;
}

/* ---- a program ------------------------------------------------------------------------------- */

static int check_program_request(const explain_request *asked)
{
    const options *o = &explain_options;
    if (asked->words.count < 1)
        return options_wrong(o, "name a kernel file, or the program to run: kata explain -- "
                                "PROGRAM");
    if (asked->code || asked->constants)
        return options_wrong(o, "--%s is for a kernel file, whose name ends in .kata",
                             asked->code ? "code" : "constants");
    if (asked->json && asked->picture)
        return options_wrong(o, "--json and --svg are two forms: choose one");
    bool roofline = asked->picture && !strcmp(asked->picture, "roofline");
    bool scaling = asked->picture && !strcmp(asked->picture, "scaling");
    bool pipeline = asked->picture && !strcmp(asked->picture, "pipeline");
    if (asked->picture && !roofline && !scaling && !pipeline &&
        (strlen(asked->picture) != 1 || !strchr("xyz", *asked->picture)))
        return options_wrong(o, "--svg takes x, y, z, roofline, scaling or pipeline, not '%s'",
                             asked->picture);
    if (pipeline && !asked->machine)
        return options_wrong(o, "--svg pipeline needs a machine, as in --machine sw26010");
    if ((roofline || scaling) && asked->quick)
        return options_wrong(o, "--svg %s needs what --quick leaves out", asked->picture);
    if (asked->picture && !asked->to)
        return options_wrong(o, "--svg writes a file: name it, as in --to plan.svg");
    return 0;
}

static void say_error(void *data, kata_status status, const char *message)
{
    (void)data, (void)status;
    fprintf(stderr, "kata explain: %s\n", message + strlen("error: "));
}

/* Asks the library whether these are a plan and a machine, if they are given. */
static bool are_right(const char *plan, const char *machine)
{
    kata *k = kata_open(&(kata_options){
        .plan = plan, .machine = machine, .handler = say_error, .no_warnings = true});
    return k && kata_close(k) == KATA_OK;
}

static int explain_program(const explain_request *asked)
{
    const char *form = asked->json ? "json" : asked->picture ? asked->picture : "text";
    if ((asked->plan || asked->machine) && !are_right(asked->plan, asked->machine))
        return EXIT_USAGE;
    if (setenv("KATA_EXPLAIN", form, 1) ||
        setenv("KATA_EXPLAIN_QUICK", asked->quick ? "1" : "0", 1) ||
        (asked->plan && setenv("KATA_PLAN", asked->plan, 1)) ||
        (asked->machine && setenv("KATA_MACHINE", asked->machine, 1)) ||
        (asked->to && setenv("KATA_EXPLAIN_FILE", asked->to, 1)))
        return options_failed(&explain_options, "%s", strerror(errno));
    return become(explain_options.program, asked->words.words, asked->words.count);
}

/* ---- the command line ------------------------------------------------------------------------ */

static const explain_request defaults;
static const char *const dimensions[] = {"x", "y", "z", "roofline", "scaling", "pipeline", NULL};

static const option table[] = {
    {"FILE.kata|PROGRAM ARGUMENT",
     "a kernel file, with one of its kernels or without; or the program to run",
     OPTION_VALUE(explain_request, words), .positional = true},
    {"code", "of a kernel file: the C that is generated", OPTION_VALUE(explain_request, code)},
    {"constants", "of a kernel file: values of its constants, as in \"R=8, C=0.5\"",
     OPTION_VALUE(explain_request, constants), .otherwise = "those in the file"},
    {"plan", "of a program: a method and its sizes, as in 'skewed y=16 z=8'",
     OPTION_VALUE(explain_request, plan), .placeholder = "WORDS", .otherwise = "the fastest found"},
    {"machine",
     "of a program: a machine of many cores with small memories, which is emulated: mppa256, "
     "sw26010, or the path of a file",
     OPTION_VALUE(explain_request, machine), .placeholder = "NAME",
     .otherwise = "KATA_MACHINE, or none"},
    {"svg",
     "of a program: a picture, written to the file of --to: its plans along x, y or z; or how "
     "fast its kernels ran, under what the machine allows; or how fast it would be on many ranks; "
     "or "
     "what a core of an emulated machine does when",
     OPTION_VALUE(explain_request, picture), .placeholder = "PICTURE", .otherwise = "none",
     .choices = dimensions},
    {"json", "as JSON, an object per line", OPTION_VALUE(explain_request, json)},
    {"quick", "measure nothing: no ceilings, no rates", OPTION_VALUE(explain_request, quick)},
    {"to", "append to this file; a picture replaces it", OPTION_VALUE(explain_request, to),
     .placeholder = "FILE",
     .otherwise = "standard output for a kernel file, standard error for a program"},
};

const options explain_options = {
    "kata explain",
    "Of a kernel file: shows what each kernel reads and writes, its operations and bytes per\n"
    "point, and the rate that this machine allows. Of a program that uses Katagami: runs it and\n"
    "shows how its chains of loops are planned, in which tiles they ran, what its kernels cost, "
    "how\n"
    "fast they ran, and why its chains ended. The methods of plans are loops, skewed, diamond,\n"
    "tiled and windowed (with cache= and threads=), shared (with cache=), overlapped, sliding,\n"
    "streamed, fused, single, blocked and scratchpad. The program may be kata itself:\n"
    "kata explain --plan 'skewed y=8' -- kata apply heat.kata ...\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_explain(int argc, char **argv)
{
    explain_request r;
    int exit_code;
    if (!options_read(&explain_options, &r, argc, argv, &exit_code)) return exit_code;
    bool file = r.words.count > 0 && is_kernel_file(r.words.words[0]);
    int wrong = file ? check_file_request(&r) : check_program_request(&r);
    if (wrong) return wrong;
    return file ? explain_file(&r) : explain_program(&r);
}
