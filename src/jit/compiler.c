/* How the C compiler is called.
 *
 * Flags. Results must not depend on how a loop is compiled: no contraction into fma and nothing of
 * -ffast-math, also because linking with it would turn on flush-to-zero in the whole process.
 * errno and traps are given up, without which square roots and selects do not vectorise. Statements
 * are not vectorised outside of loops: gcc 12 then drops (double)(float)x from neighbouring stores,
 * taking two vectors of as many lanes to be of one precision. Of AVX-512 compilers prefer half the
 * width unless told otherwise; measured on Xeons of the fourth and fifth generation, full width is
 * 1.1 to 1.6 times as fast in cache.
 *
 * Arguments that the compiler was named with stand behind the flags for speed, which they may
 * change, and before those that results depend on, which they may not. */
#include "jit/jit_private.h"

#include "machine/machine.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The machines on which what is compiled without the flags for a CPU runs. */
#if defined(__x86_64__)
#define MACHINE_KIND "x86-64"
#elif defined(__aarch64__)
#define MACHINE_KIND "aarch64"
#elif defined(__powerpc64__)
#define MACHINE_KIND "powerpc64"
#elif defined(__riscv)
#define MACHINE_KIND "riscv"
#else
#define MACHINE_KIND "other"
#endif

/* For speed. At -O3 gcc makes memcpy of a loop that copies a vector, in pieces shorter than the
 * vector that is read of them: each read would wait until the pieces are in the cache. */
static const char *const full_flags[] = {"-O3"};
static const char *const gcc_full_flags[] = {"-O3", "-fno-tree-loop-distribute-patterns"};
/* For plain functions (see jit_effort). Of the passes that gcc 12 adds to those of -O1, loops that
 * are written in vectors gain by these alone. Without partial redundancy elimination, chains of min
 * and max become vectors, which at -O3 they do not. Of what is called expensive one pass is needed,
 * which clears the high halves of vector registers at the end of a function: with AVX the library's
 * next instruction on a short vector would otherwise save them, and the function's next one restore
 * them, at some 70 cycles each (EPYC family 25). */
static const char *const light_flags[] = {"-O1", "-fexpensive-optimizations",
                                          "-ftree-loop-vectorize", "-ftree-vrp"};
/* gcc 12 takes a processor that it does not know for an older one, without vectors of 512 bits, and
 * reads values again for each use of them; hence the tuning. */
static const char *const native_flags[] = {"-march=native",
#if defined(__x86_64__)
                                           "-mtune=generic", "-mprefer-vector-width=512"
#endif
};
/* Where functions are large, without the passes that take more than their share of time: in gcc 12
 * points-to sets, reassociation, the table of values that are alive at once, the combiner and what
 * looks for dead stores and equal values among instructions; in clang 14 the allocation of
 * registers, and moving values between kinds of registers. A compiler that refuses these is called
 * with -O1. KATA_BRIEF is for the text of ir/arithmetic.h. */
#define BRIEF "-DKATA_BRIEF"
static const char *const gcc_brief_flags[] = {"-O1",
                                              BRIEF,
                                              "-fno-tree-pta",
                                              "-fno-tree-reassoc",
                                              "--param=ira-max-conflict-table-size=0",
                                              "-fdisable-rtl-combine",
                                              "-fno-dse",
                                              "-fdisable-rtl-postreload"};
static const char *const clang_brief_flags[] = {"-O1",
                                                BRIEF,
                                                "-mllvm",
                                                "-optimize-regalloc=0",
                                                "-mllvm",
                                                "-regalloc=fast",
#if defined(__x86_64__)
                                                "-mllvm",
                                                "-disable-x86-domain-reassignment"
#endif
};

static const char *const plain_brief_flags[] = {"-O1", BRIEF};

/* For results, and for the library. */
static const char *const flags[] = {"-std=gnu17",
                                    "-w",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fopenmp-simd",
                                    "-fno-tree-slp-vectorize",
                                    "-fno-semantic-interposition",
                                    "-fno-stack-protector",
                                    "-fno-asynchronous-unwind-tables",
                                    "-fPIC",
                                    "-shared"};

/* Without the code around programs and the C library, which each process has, linking takes half
 * the time. Not where the compiler was named with arguments, which may need libraries; nor on
 * machines where code may need the compiler's own. */
#if defined(__x86_64__)
enum { LINKS_ALONE = 1 };
#else
enum { LINKS_ALONE = 0 };
#endif

/* ---- keys ------------------------------------------------------------------------------------ */

enum { MOST_ARGUMENTS = 96 };

/* Whose flags for speed. */
typedef enum flags_kind { FLAGS_GCC, FLAGS_CLANG, FLAGS_ANY } flags_kind;

typedef struct arguments {
    const char *word[MOST_ARGUMENTS + 1];
    size_t count;
} arguments;

static void add_all(arguments *a, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) a->word[a->count++] = words[i];
}

static void add_brief_flags(arguments *a, flags_kind kind)
{
    if (kind == FLAGS_CLANG)
        add_all(a, clang_brief_flags, COUNT_OF(clang_brief_flags));
    else if (kind == FLAGS_GCC)
        add_all(a, gcc_brief_flags, COUNT_OF(gcc_brief_flags));
    else
        add_all(a, plain_brief_flags, COUNT_OF(plain_brief_flags));
}

static void add_speed_flags(arguments *a, jit_flags f, flags_kind kind)
{
    if (f.effort == JIT_BRIEF)
        add_brief_flags(a, kind);
    else if (f.effort == JIT_LIGHT && kind == FLAGS_GCC)
        add_all(a, light_flags, COUNT_OF(light_flags));
    else if (kind == FLAGS_GCC)
        add_all(a, gcc_full_flags, COUNT_OF(gcc_full_flags));
    else
        add_all(a, full_flags, COUNT_OF(full_flags));
    if (f.native) add_all(a, native_flags, COUNT_OF(native_flags));
}

/* The flags, in their order around the arguments that the compiler was named with: of "ccache gcc
 * -O1" gcc comes first. */
static void add_flags(arguments *a, const jit_command *compiler, jit_flags f, flags_kind kind)
{
    const char *const *own = compiler ? compiler->arguments : (const char *const[]){NULL};
    for (; *own && **own != '-'; own++) add_all(a, own, 1);
    add_speed_flags(a, f, kind);
    bool alone = LINKS_ALONE && !*own;
    for (; *own; own++) add_all(a, own, 1);
    add_all(a, flags, COUNT_OF(flags));
    if (alone) add_all(a, (const char *const[]){"-nostdlib"}, 1);
    if (f.debug) add_all(a, (const char *const[]){"-g"}, 1);
}

static void add_identity(text *out, const char *compiler)
{
    struct stat status = {0};
    char *resolved = realpath(compiler, NULL);
    if (stat(compiler, &status)) status = (struct stat){0};
    text_add(out, "%s %s %lld %lld %ld\n", compiler, resolved ? resolved : "",
             (long long)status.st_size, (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    free(resolved);
}

/* The processor's key, which a virtual machine needs some 0.4 ms for: it is asked once. */
static void add_processor(text *out)
{
    enum { UNKNOWN, BEING_WRITTEN, KNOWN };
    static _Atomic int state = UNKNOWN;
    static char known[512];
    if (atomic_load(&state) == KNOWN) {
        text_add(out, "%s", known);
        return;
    }
    size_t before = out->length;
    int unknown = UNKNOWN;
    machine_cpu_key(out);
    if (out->failed || out->length - before >= sizeof known) return;
    if (!atomic_compare_exchange_strong(&state, &unknown, BEING_WRITTEN)) return;
    snprintf(known, sizeof known, "%s", text_get(out) + before);
    atomic_store(&state, KNOWN);
}

/* Each argument stands on a line of its own: "-D a" is not "-D" and "a". A key is the same whether
 * the compiler is clang, which only running it tells. */
void jit_compiler_key(text *out, const jit_command *compiler, jit_flags f)
{
    arguments all = {.count = 0};
    if (compiler)
        add_identity(out, compiler->path);
    else
        text_add(out, "any compiler\n");
    if (compiler && compiler->wrapped) add_identity(out, compiler->wrapped);
    add_flags(&all, compiler, f, FLAGS_GCC);
    for (size_t i = 0; i < all.count; i++) text_add(out, "%s\n", all.word[i]);
    text_add(out, MACHINE_KIND " ");
    if (f.native) add_processor(out);
    text_add(out, "\n");
}

/* ---- calling --------------------------------------------------------------------------------- */

/* Whether a compiler that failed says that it had no memory, or that the kernel killed a part of
 * it, in English as the environment asks. */
static bool lacked_memory(const char *said)
{
    static const char *const words[] = {"out of memory", "memory exhausted",
                                        "bad_alloc",     "Cannot allocate memory",
                                        "Killed signal", "command: Killed"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strstr(said, words[i])) return true;
    return false;
}

static jit_verdict judge(const jit_process *process, const jit_end *end, text *report)
{
    if (end->out_of_time)
        text_add(
            report,
            "it took more than the %d seconds that it may compute, or the %d that it may take\n",
            process->seconds, process->wait_seconds);
    else if (end->exit_code > 0 && lacked_memory(text_get(report)))
        text_add(report, "it needed more than the %d MB that it may use\n", process->megabytes);
    else if (end->exit_code > 128)
        text_add(report, "it was ended by signal %d\n", end->exit_code - 128);
    else if (end->exit_code > 0)
        text_add(report, "it ended with exit code %d\n", end->exit_code);
    if (end->exit_code <= 0 && !end->out_of_time) return JIT_COMPILED;
    return end->out_of_time || lacked_memory(text_get(report)) ? JIT_EXHAUSTED : JIT_REFUSED;
}

/* Whether the name of a compiler, behind links, says that it is clang. */
static bool is_named_clang(const jit_command *compiler)
{
    char *path = realpath(compiler->wrapped ? compiler->wrapped : compiler->path, NULL);
    const char *name = path ? strrchr(path, '/') : NULL;
    bool clang = name && strstr(name, "clang");
    free(path);
    return clang;
}

/* Whether the compiler takes the flags of clang. For a plain function it is not asked: that would
 * take longer than the passes that are left out. */
static bool is_clang(const jit_command *compiler, const jit_process *process, jit_effort effort)
{
    if (effort != JIT_BRIEF) return is_named_clang(compiler);
    text line = {0};
    jit_compiler_version(compiler, process, &line);
    bool clang = strstr(text_get(&line), "clang") != NULL;
    text_free(&line);
    return clang;
}

static jit_verdict run(const jit_command *compiler, jit_flags f, flags_kind kind,
                       const char *const files[5], const jit_process *process, text *report)
{
    arguments all = {{compiler->path}, 1};
    jit_end end = {0};
    add_flags(&all, compiler, f, kind);
    add_all(&all, files, 5);
    int error = jit_process_run(all.word, process, report, &end);
    if (!error) return judge(process, &end, report);
    text_add(report, "it could not be started: %s\n", strerror(error));
    return JIT_REFUSED;
}

jit_verdict jit_compiler_run(const jit_command *compiler, jit_flags f, const char *source,
                             const char *object, const jit_process *process, text *report)
{
    const char *const files[] = {"-o", object, source, "-lm", NULL};
    bool clang = is_clang(compiler, process, f.effort);
    jit_verdict verdict = run(compiler, f, clang ? FLAGS_CLANG : FLAGS_GCC, files, process, report);
    bool again = f.effort == JIT_BRIEF || !clang;
    if (verdict != JIT_REFUSED || !again || (process->stop && atomic_load(process->stop)))
        return verdict;
    text_clear(report);
    return run(compiler, f, FLAGS_ANY, files, process, report);
}

void jit_compiler_version(const jit_command *compiler, const jit_process *as, text *line)
{
    arguments all = {{compiler->path}, 1};
    for (size_t i = 0; compiler->arguments[i]; i++) add_all(&all, &compiler->arguments[i], 1);
    add_all(&all, (const char *const[]){"--version", NULL}, 2);
    const jit_process process = {.environment = as->environment,
                                 .folder = -1,
                                 .seconds = JIT_MOST_VERSION_SECONDS,
                                 .wait_seconds = JIT_MOST_VERSION_SECONDS,
                                 .megabytes = JIT_MOST_MEGABYTES,
                                 .stop = as->stop};
    text output = {0};
    jit_end end = {0};
    if (jit_process_run(all.word, &process, &output, &end) == 0 && end.exit_code <= 0)
        text_add(line, "%.*s", (int)strcspn(text_get(&output), "\n"), text_get(&output));
    text_free(&output);
}

kata_status jit_report_no_compiler(const jit *j, const char *kernel, messages *m)
{
    const char *wrong = j->compiler.wrong;
    if (j->asked_for)
        message_begin(m, KATA_ERROR_COMPILER, "the C compiler '%s' cannot be run%s%s", j->asked_for,
                      wrong ? ": " : "", wrong ? wrong : "");
    else
        message_begin(m, KATA_ERROR_COMPILER, "no C compiler found: neither cc, gcc nor clang");
    if (kernel)
        message_line(m, "kernel '%s' has not been compiled for fields of these types", kernel);
    message_line(m, "install one, name one in KATA_CC, or set KATA_EXECUTOR=reference");
    message_line(m, "or bring a cache folder that `kata compile` has filled on such a machine");
    return message_send(m);
}
