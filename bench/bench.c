/* bench [--quick] [--json FILE] [--svg FILE] [--threads N] [--seconds S]
 *       [--without PASS,...] [CASE...] */
#include "bench.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct settings {
    bool quick;
    const char *json, *svg;
    const char *without; /* passes of code generation that are left out; NULL: none */
    int threads;
    double seconds;
    char **names; /* NULL at the end; none: all cases */
} settings;

static int usage(const char *wrong)
{
    if (wrong) fprintf(stderr, "bench: '%s' is not understood\n", wrong);
    fprintf(wrong ? stderr : stdout,
            "usage: bench [--quick] [--json FILE] [--svg FILE] [--threads N] [--seconds S] "
            "[--without PASS,...] [CASE...]\ncases:");
    for (int i = 0; i < bench_case_count; i++)
        fprintf(wrong ? stderr : stdout, "%s '%s'", i ? "," : "", bench_cases[i].name);
    fprintf(wrong ? stderr : stdout, "\n");
    return wrong ? 2 : 0;
}

static bool is_case(const char *name)
{
    for (int i = 0; i < bench_case_count; i++)
        if (strcmp(bench_cases[i].name, name) == 0) return true;
    return false;
}

/* The first word that is wrong, NULL when there is none. */
static const char *read_words(settings *s, char **word)
{
    for (; *word && strncmp(*word, "--", 2) == 0; word++) {
        char *rest = "";
        if (strcmp(*word, "--quick") == 0) {
            s->quick = true;
            continue;
        }
        if (!word[1]) return *word;
        if (strcmp(*word, "--json") == 0)
            s->json = *++word;
        else if (strcmp(*word, "--svg") == 0)
            s->svg = *++word;
        else if (strcmp(*word, "--without") == 0)
            s->without = *++word;
        else if (strcmp(*word, "--threads") == 0)
            s->threads = (int)strtol(*++word, &rest, 10);
        else if (strcmp(*word, "--seconds") == 0)
            s->seconds = strtod(*++word, &rest);
        else
            return *word;
        if (*rest || s->threads < 1 || s->threads > 1024 || !(s->seconds >= 0)) return *word;
    }
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

static int run_cases(const settings *s, bench_result *results, bool *good)
{
    int count = 0;
    if (s->without) printf("without %s\n", s->without);
    bench_print_head();
    for (int i = 0; i < bench_case_count && *good; i++) {
        const bench_case *c = &bench_cases[i];
        bench_result *r = &results[count];
        if (!is_wanted(s, c->name)) continue;
        *good = bench_measure(c, s->quick ? c->quick : c->size, s->threads, s->seconds, r);
        if (!*good) continue;
        bench_print(r);
        count++;
        double most = c->type == KATA_F64 ? 1e-12 : 1e-4;
        if (r->difference <= most) continue;
        fprintf(stderr, "bench: %s: results differ by %g, relative to the largest\n", c->name,
                r->difference);
        *good = false;
    }
    return count;
}

/* Threads of OpenMP that wait must not hold up others: said before its library is loaded. */
static void calm_openmp(char **argv)
{
    if (getenv("GOMP_SPINCOUNT")) return;
    setenv("GOMP_SPINCOUNT", "2000", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    (void)argc;
    settings s = {.threads = omp_get_num_procs(), .seconds = -1};
    for (char **word = argv + 1; *word; word++)
        if (strcmp(*word, "--help") == 0) return usage(NULL);
    s.seconds = 6;
    const char *wrong = read_words(&s, argv + 1);
    if (wrong) return usage(wrong);
    if (s.without) setenv("KATA_WITHOUT", s.without, 1);
    s.without = getenv("KATA_WITHOUT");
    if (s.without && !*s.without) s.without = NULL;
    calm_openmp(argv);
    if (s.quick && s.seconds == 6) s.seconds = 1;
    omp_set_num_threads(s.threads);

    bench_result *results = calloc((size_t)bench_case_count, sizeof *results);
    bool good = results != NULL;
    int count = good ? run_cases(&s, results, &good) : 0;
    if (s.json && !bench_write_json(s.json, results, count, s.threads, s.without)) good = false;
    if (s.svg && !bench_write_svg(s.svg, results, count)) good = false;
    if (!good) fprintf(stderr, "bench: not all could be measured or written\n");
    free(results);
    return good ? 0 : 1;
}
