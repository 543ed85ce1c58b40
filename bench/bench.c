/* bench [--quick] [--sizes] [--row N] [--ways WAY,...] [--steps N] [--json FILE] [--svg FILE]
 *       [--threads N] [--seconds S] [--without PASS,...] [CASE...] */
#include "bench.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESULTS = 1024 };

typedef struct settings {
    bool quick, sizes;
    int ways;
    const char *json, *svg;
    const char *without; /* passes of code generation that are left out; NULL: none */
    int threads;
    int64_t steps;
    int64_t row; /* points along x of the sizes that are wanted; 0: all */
    double seconds;
    char **names; /* NULL at the end; none: all cases */
} settings;

/* ---- words ----------------------------------------------------------------------------------- */

static const bench_case *case_at(int i)
{
    if (i < bench_sweep_count) return &bench_sweeps[i];
    return i < bench_sweep_count + bench_loop_count ? &bench_loops[i - bench_sweep_count] : NULL;
}

static int usage(const char *wrong)
{
    FILE *to = wrong ? stderr : stdout;
    if (wrong) fprintf(to, "bench: '%s' is not understood\n", wrong);
    fprintf(
        to,
        "usage: bench [--quick] [--sizes] [--row N] [--ways WAY,...] [--steps N] [--json FILE]\n"
        "             [--svg FILE] [--threads N] [--seconds S] [--without PASS,...] [CASE...]\n"
        "--row: as --sizes, those with N points along x\n"
        "ways: same (the same fields again and again), single (fields swapped, step by step),\n"
        "      chain (fields swapped, N steps in a chain)\ncases:");
    for (int i = 0; case_at(i); i++) fprintf(to, "%s '%s'", i ? "," : "", case_at(i)->name);
    fprintf(to, "\n");
    return wrong ? 2 : 0;
}

static bool is_case(const char *name)
{
    for (int i = 0; case_at(i); i++)
        if (strcmp(case_at(i)->name, name) == 0) return true;
    return false;
}

/* 0 if a name is wrong. */
static int read_ways(const char *text)
{
    int ways = 0;
    for (size_t length; *text; text += length + (text[length] == ',')) {
        int found = 0;
        length = strcspn(text, ",");
        for (int way = BENCH_SAME; way <= BENCH_CHAIN; way *= 2)
            if (strlen(bench_way_name(way)) == length &&
                strncmp(text, bench_way_name(way), length) == 0)
                found = way;
        if (!found) return 0;
        ways |= found;
    }
    return ways;
}

/* A word that begins with -- and takes the next one: false if one of them is wrong. */
static bool read_option(settings *s, const char *option, const char *value)
{
    char *rest = "";
    if (strcmp(option, "--json") == 0)
        s->json = value;
    else if (strcmp(option, "--svg") == 0)
        s->svg = value;
    else if (strcmp(option, "--without") == 0)
        s->without = value;
    else if (strcmp(option, "--ways") == 0)
        s->ways = read_ways(value);
    else if (strcmp(option, "--threads") == 0)
        s->threads = (int)strtol(value, &rest, 10);
    else if (strcmp(option, "--steps") == 0)
        s->steps = strtol(value, &rest, 10);
    else if (strcmp(option, "--row") == 0)
        s->row = strtol(value, &rest, 10);
    else if (strcmp(option, "--seconds") == 0)
        s->seconds = strtod(value, &rest);
    else
        return false;
    return !*rest && s->row >= 0 && s->ways && s->threads >= 1 && s->threads <= 1024 &&
           s->steps >= 1 && s->steps <= 1000000;
}

/* The first word that is wrong, NULL when there is none. */
static const char *read_words(settings *s, char **word)
{
    for (; *word && strncmp(*word, "--", 2) == 0; word++)
        if (strcmp(*word, "--quick") == 0)
            s->quick = true;
        else if (strcmp(*word, "--sizes") == 0)
            s->sizes = true;
        else if (!word[1] || !read_option(s, word[0], word[1]))
            return *word;
        else
            word++;
    s->sizes = s->sizes || s->row > 0;
    s->names = word;
    for (; *word; word++)
        if (!is_case(*word)) return *word;
    return NULL;
}

static bool is_wanted(const settings *s, const char *name)
{
    for (char **n = s->names; *n; n++)
        if (strcmp(*n, name) == 0) return true;
    return !s->names[0];
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct results {
    bench_result all[RESULTS];
    int count;
    bool good;
} results;

/* Whether it fits beside what else runs here. */
static bool fits(const bench_case *c, const int64_t size[3])
{
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return bench_memory(c, size) < memory / 2;
}

static void run_one(const settings *s, const bench_case *c, int way, const int64_t size[3],
                    results *r)
{
    bench_result *out = &r->all[r->count];
    bench_task task = {.c = c,
                       .way = way,
                       .size = {size[0], size[1], size[2]},
                       .threads = s->threads,
                       .seconds = s->seconds,
                       .steps = s->steps};
    if (r->count == RESULTS || !fits(c, size)) return;
    if (!bench_measure(&task, out)) {
        r->good = false;
        return;
    }
    bench_print(out);
    r->count++;
    double most = c->type == KATA_F64 ? 1e-11 : 1e-4;
    if (out->difference <= most) return;
    fprintf(stderr, "bench: %s: results differ by %g, relative to the largest\n", c->name,
            out->difference);
    r->good = false;
}

static void run_case(const settings *s, const bench_case *c, results *r)
{
    for (int way = BENCH_SAME; way <= BENCH_CHAIN; way *= 2) {
        if (!(c->ways & s->ways & way)) continue;
        if (!s->sizes) run_one(s, c, way, s->quick ? c->sizes->quick : c->sizes->full, r);
        for (int i = 0; s->sizes && i < BENCH_SWEPT && c->sizes->swept[i][0]; i++)
            if (!s->row || s->row == c->sizes->swept[i][0])
                run_one(s, c, way, c->sizes->swept[i], r);
    }
}

/* Threads of OpenMP that wait must not hold up others: said before its library is loaded. */
static void calm_openmp(char **argv)
{
    if (getenv("GOMP_SPINCOUNT")) return;
    setenv("GOMP_SPINCOUNT", "2000", 1);
    execv("/proc/self/exe", argv);
}

static void run_all(const settings *s, results *r)
{
    if (s->without) printf("without %s\n", s->without);
    bench_print_head();
    for (int i = 0; case_at(i); i++)
        if (is_wanted(s, case_at(i)->name)) run_case(s, case_at(i), r);
    bench_print_summary(r->all, r->count);
}

static bool write_files(const settings *s, const results *r)
{
    bool good = true;
    if (s->json) good = bench_write_json(s->json, r->all, r->count, s->threads, s->without);
    return (!s->svg || bench_write_svg(s->svg, r->all, r->count)) && good;
}

int main(int argc, char **argv)
{
    (void)argc;
    settings s = {.threads = omp_get_num_procs(),
                  .seconds = -1,
                  .steps = 100,
                  .ways = BENCH_SAME | BENCH_SINGLE | BENCH_CHAIN};
    for (char **word = argv + 1; *word; word++)
        if (strcmp(*word, "--help") == 0) return usage(NULL);
    const char *wrong = read_words(&s, argv + 1);
    if (wrong) return usage(wrong);
    if (s.without) setenv("KATA_WITHOUT", s.without, 1);
    setenv("KATA_LARGER", "1", 0); /* no kernel changes while it is measured */
    s.without = getenv("KATA_WITHOUT");
    if (s.without && !*s.without) s.without = NULL;
    calm_openmp(argv);
    if (s.seconds < 0) s.seconds = s.quick ? 0.25 : s.sizes ? 1 : 6;
    omp_set_num_threads(s.threads);

    results *r = calloc(1, sizeof *r);
    if (!r) return 1;
    r->good = true;
    run_all(&s, r);
    bool good = write_files(&s, r) && r->good;
    if (!good) fprintf(stderr, "bench: not all could be measured or written\n");
    free(r);
    return good ? 0 : 1;
}
