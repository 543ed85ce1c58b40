/* The manual page kata(1), in the macros of man(7). Verbs, options and applications come from the
 * command's tables. */
#include "cli.h"

#include <string.h>

/* Prints a text so that groff shows it as it is: backslashes and dashes as such, no line begins
 * with a control character. */
static void print_plain(FILE *to, const char *words)
{
    bool begins = true;
    for (; *words; words++) {
        if (begins && strchr(".'", *words)) fputs("\\&", to);
        if (*words == '\\')
            fputs("\\e", to);
        else if (*words == '-')
            fputs("\\-", to);
        else
            fputc(*words, to);
        begins = *words == '\n';
    }
}

static void print_macro(FILE *to, const char *macro, const char *words)
{
    fprintf(to, ".%s \"", macro);
    print_plain(to, words);
    fprintf(to, "\"\n");
}

/* Lines that begin with a blank are tables: they stay as they are. */
static void print_paragraph(FILE *to, const char *lines)
{
    bool table = false;
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        if ((*line == ' ') != table) fputs(table ? ".fi\n" : ".nf\n", to);
        table = *line == ' ';
        print_plain(to, line);
        fputc('\n', to);
        lines += length + (lines[length] == '\n');
    }
    if (table) fputs(".fi\n", to);
}

/* ---- commands -------------------------------------------------------------------------------- */

static void print_option(FILE *to, const options *o, const option *e)
{
    char words[512];
    fprintf(to, ".TP\n");
    if (e->positional) {
        print_macro(to, "I", e->name);
    } else {
        fprintf(to, "\\fB\\-\\-");
        print_plain(to, e->name);
        fprintf(to, "\\fR");
        option_value_words(e, words, sizeof words);
        if (e->kind != OPTION_FLAG) fprintf(to, " \\fI%s\\fR", words);
        fprintf(to, "\n");
    }
    print_plain(to, e->help);
    option_bounds_words(e, words, sizeof words);
    print_plain(to, words);
    option_default_words(o, e, words, sizeof words);
    if (*words) {
        fprintf(to, " (default: ");
        print_plain(to, words);
        fprintf(to, ")");
    }
    fprintf(to, "\n");
}

static void print_command(void *data, const options *o, const char *summary)
{
    FILE *to = data;
    char usage[512];
    (void)summary;
    print_macro(to, "SS", o->program);
    option_usage_words(o, usage, sizeof usage);
    print_macro(to, "B", usage);
    fprintf(to, ".PP\n");
    print_paragraph(to, o->summary);
    for (const option *e = o->table; e < o->table + o->count; e++) print_option(to, o, e);
}

static void print_verbs(FILE *to)
{
    for (const verb *v = verbs; v->name; v++) {
        fprintf(to, ".TP\n\\fBkata %s\\fR \\fI", v->name);
        print_plain(to, v->arguments);
        fprintf(to, "\\fR\n");
        print_plain(to, v->summary);
        fprintf(to, "\n");
    }
}

/* ---- environment, exit status, examples ------------------------------------------------------ */

static const struct {
    const char *name, *meaning;
} variables[] = {
    {"KATA_CACHE_DIR", "the folder of compiled kernels; otherwise katagami in XDG_CACHE_HOME or in "
                       "~/.cache"},
    {"KATA_CC", "the C compiler that kernels are compiled with"},
    {"KATA_THREADS", "how many threads compute; OMP_NUM_THREADS is looked at, too"},
    {"KATA_EXECUTOR", "runs kernels: cpu, reference (an interpreter) or plan"},
    {"KATA_RANKS", "y=2 z=4, or halves: how the ranks that MPI has started are laid out"},
    {"KATA_RANKS_NOTE", "seconds that a rank waits for others before a note says so (10)"},
    {"KATA_PROVE", "1: plans for several ranks are proven before they run"},
    {"KATA_WAIT", "1: kernels are not interpreted while they are being compiled"},
    {"KATA_LARGER", "1: begins with the functions for fields beyond the caches"},
    {"KATA_WARNINGS", "0: no warnings about kernels"},
    {"KATA_BEHIND", "bytes that wait to be written to files, such as 2G; 0: none wait"},
    {"KATA_CHECK", "nan: the point at which a NaN or an infinity arises ends the chain"},
    {"KATA_SUMMARY", "1: shows at the end what kernels took"},
    {"KATA_TIMELINE", "a file of JSON that says what a run did when, for viewers such as Perfetto"},
    {"KATA_TIMELINE_MOST", "bytes of this file at most (64M)"},
    {"KATA_EAGER", "1: each application runs at once"},
    {"KATA_POISON", "1: new fields are NaN, not zero"},
    {"KATA_DEBUG_LINES", "1: compiled kernels carry the lines of the kernel file"},
    {"KATA_RECORD", "a file that records each loop and its results, for kata diff"},
    {"KATA_RECORD_FULL", "1: with all values"},
    {"KATA_TRACE", "a field's point, as kata trace sets it"},
    {"KATA_TRACE_FILE", "where traces are written; otherwise to standard error"},
    {"KATA_TUNE", "a file for a report: searches for the fastest plans as kata tune does"},
    {"KATA_WISDOM", "0: the fastest plans found are neither used nor kept"},
    {"KATA_MEMORY", "bytes for fields, such as 8G; larger ones are kept in files"},
    {"KATA_SPILL", "folder of these files"},
    {"KATA_SPILL_RATE", "bytes per second that are moved to and from them at most"},
    {"KATA_DEVICE", "where kernels run: cuda, cuda:1, opencl, opencl:0, any; none: the CPU"},
    {"KATA_DEVICE_MEMORY", "bytes of a device that are used at most, such as 8G"},
    {"KATA_DEVICE_MPI",
     "on, off: whether ranks give MPI memory of their devices (on where MPI says that it can)"},
    {"KATA_DEVICE_SHAPE",
     "x=32 y=4 z=1 vector=2 chunk=4 along=2: how threads of a device share "
     "points, instead of what is found; steps=3 rows=4: of loops at once; rows=2: in tiles"},
    {"KATA_CUDA", "CUDA's driver, instead of libcuda.so.1"},
    {"KATA_NVRTC", "CUDA's compiler, instead of libnvrtc.so"},
    {"KATA_L2", "bytes of a second-level cache, where the machine reports wrong ones"},
    {"KATA_PLAN", "how chains are planned, as kata explain sets it"},
    {"KATA_NETWORK",
     "latency=2e-6 bandwidth=12.5e9 packing=6e9 loops=2: what simulated ranks have"},
    {"KATA_EXPLAIN",
     "text, json, x, y, z, roofline, scaling or pipeline: explains a program as kata explain does"},
    {"KATA_MACHINE", "a machine that is emulated: ipu, mppa256, sw26010, or the path of a file"},
    {"KATA_EXPLAIN_FILE", "where the explanation is written; otherwise to standard error"},
    {"KATA_EXPLAIN_QUICK", "1: nothing is measured for it"},
    {"KATA_WITHOUT", "passes of code generation to leave out, to see what each is worth"},
    {"COLUMNS", "how wide the line of progress may be on a terminal that does not say"},
};

static void print_environment(FILE *to)
{
    fprintf(to, ".SH ENVIRONMENT\nPrograms that use the library look at these, too.\n");
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        fprintf(to, ".TP\n");
        print_macro(to, "B", variables[i].name);
        print_plain(to, variables[i].meaning);
        fprintf(to, "\n");
    }
}

static const char beginning[] =
    ".SH NAME\n"
    "kata \\- stencil computations from kernels in C syntax\n"
    ".SH SYNOPSIS\n"
    ".B kata\n"
    ".I VERB\n"
    ".RI [ ARGUMENT ...]\n"
    ".SH DESCRIPTION\n"
    "A stencil kernel says, in C syntax, how the value at one point of a grid is computed from "
    "its\n"
    "neighbours. The command checks kernels, runs them on files of data, shows what they cost, "
    "and\n"
    "finds out why a result is wrong. It uses the library Katagami, as programs do.\n";

static const char ending[] =
    ".SH EXIT STATUS\n"
    "0 on success, 1 where a command failed, 2 where it was called wrongly.\n"
    ".B kata diff\n"
    "exits with 1 where two runs differ. A program that\n"
    ".B kata explain\n"
    "or\n"
    ".B kata trace\n"
    "runs gives its own exit status.\n"
    ".SH EXAMPLES\n"
    ".nf\n"
    "kata check heat.kata\n"
    "kata apply heat.kata start \\-\\-size 512x256 u=start.npy\n"
    "kata apply heat.kata heat u=start.npy v=heat.png c=0.1 \\-\\-steps 1000 \\-\\-boundary "
    "periodic\n"
    "kata apply heat.kata start \\-\\-size 64 u=\\- | kata apply heat.kata heat u=\\- v=v.npy "
    "c=0.1\n"
    "kata explain \\-\\-plan \\(aqskewed y=16\\(aq \\-\\- ./my_program\n"
    ".fi\n";

void manual_print(FILE *to)
{
    fprintf(to,
            ".\\\" Made from the tables of the kata command.\n"
            ".TH KATA 1 \"\" \"Katagami %s\" \"User Commands\"\n.nh\n.ad l\n%s",
            kata_version(), beginning);
    print_verbs(to);
    fprintf(to, ".TP\n\\fBkata \\-\\-version\\fR\nshows the version of the library\n");
    fprintf(to, ".SH COMMANDS\nOptions are written \\-\\-name value or \\-\\-name=value; all words "
                "after \\-\\- are arguments.\n");
    each_command(print_command, to);
    print_environment(to);
    fputs(ending, to);
}
