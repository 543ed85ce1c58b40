/* How the chain of a program that costs most would scale on many ranks. It is simulated
 * (exec/ranks_scaling.c) at the rate at which the chain ran here; where a machine is emulated, by
 * its clock. KATA_NETWORK says what is between ranks. */
#include "api/api.h"
#include "api/explain.h"
#include "io/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chain that is faster by less is not simulated again. */
static const double NEARLY = 0.95;
static const exec_network usual = {
    .latency = 2e-6, .bandwidth = 12.5e9, .packing = 6e9, .loops = 1};

static bool read_word(kata *k, const char *word)
{
    exec_network *n = &k->network;
    const struct {
        const char *name;
        double *value;
    } known[] = {{"latency=", &n->latency},
                 {"bandwidth=", &n->bandwidth},
                 {"packing=", &n->packing},
                 {"loops=", &n->loops},
                 {"seconds=", &k->given_seconds}};
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        size_t length = strlen(known[i].name);
        char *end;
        if (strncmp(word, known[i].name, length) != 0) continue;
        *known[i].value = parse_real(word + length, &end);
        return end > word + length && !*end && *known[i].value > 0 && *known[i].value < 1e30;
    }
    return false;
}

kata_status api_read_network(kata *k)
{
    const char *words = environment_get("KATA_NETWORK");
    char word[40];
    k->network = usual;
    if (words && !k->explain) api_warn_of_unused(k, "KATA_NETWORK", "KATA_EXPLAIN", "scaling");
    for (int length; words && sscanf(words, " %39s%n", word, &length) == 1; words += length)
        if (!read_word(k, word))
            return api_fail(
                k, KATA_ERROR_ARGUMENT,
                "the environment variable KATA_NETWORK has '%s', not words such as "
                "'latency=2e-6 bandwidth=12.5e9 packing=6e9 loops=2': seconds, bytes per "
                "second that a rank sends, and that it packs, and how many times as "
                "long a chain takes without tiles; or seconds=, what it takes here",
                word);
    return KATA_OK;
}

void api_scale_chain(kata *k, double seconds)
{
    double points = 0;
    exec_scaling found;
    for (size_t i = 0; i < k->chain.count; i++)
        points += (double)chain_loop_points(&k->chain.loops[i]);
    if (k->given_seconds > 0) seconds = k->given_seconds;
    if (points < k->scaled_points) return;
    if (points == k->scaled_points && seconds > NEARLY * k->scaled_seconds) return;
    if (!exec_scale(&k->chain, seconds, &k->network, &found)) return;
    k->scaling = found;
    k->scaled_points = points;
    k->scaled_seconds = seconds;
    snprintf(k->scaled_kernel, sizeof k->scaled_kernel, "%s",
             k->chain.loops[k->chain.count - 1].kernel->name);
    k->scaled_loops = k->chain.count;
}

static void add_size(text *out, const int64_t size[3])
{
    text_add(out, "%lld x %lld", (long long)size[0], (long long)size[1]);
    if (size[2] > 1) text_add(out, " x %lld", (long long)size[2]);
}

void api_print_scaling(text *out, const kata *k)
{
    const exec_scaling *s = &k->scaling;
    const exec_network *n = &k->network;
    text title = {0}, below = {0}, plots[2] = {{0}, {0}};
    io_scaling drawn = {.count = s->count,
                        .lines = {"one exchange per section", "one exchange per loop"}};
    text_add(&title,
             "Simulated: a chain of %zu loops, the last '%s', which takes %.3g s on one rank",
             k->scaled_loops, k->scaled_kernel, k->scaled_seconds);
    if (k->exec.scratchpad)
        text_add(&title, ", the machine %s", exec_scratchpad_machine(&k->exec)->name);
    text_add(&below,
             "latency %g s, %g bytes/s, packing %g bytes/s; %g times as long without tiles, as "
             "with one exchange per loop",
             n->latency, n->bandwidth, n->packing, n->loops);
    text_add(&plots[0], "Weak scaling: the grid grows, at last to ");
    add_size(&plots[0], s->size[0]);
    text_add(&plots[1], "Strong scaling: a grid of ");
    add_size(&plots[1], s->size[1]);
    for (int i = 0; i < s->count; i++) {
        drawn.ranks[i] = s->ranks[i];
        for (int each = 0; each < 2; each++) {
            drawn.seconds[0][each][i] = s->seconds[0][each][i];
            drawn.seconds[1][each][i] = s->seconds[1][each][i];
            drawn.efficiency[0][each][i] = s->seconds[0][each][0] / s->seconds[0][each][i];
            drawn.efficiency[1][each][i] =
                s->seconds[1][each][0] / s->seconds[1][each][i] / s->ranks[i];
        }
    }
    drawn.title = text_get(&title);
    drawn.below = text_get(&below);
    for (int plot = 0; plot < 2; plot++) drawn.titles[plot] = text_get(&plots[plot]);
    io_svg_scaling(out, &drawn);
    text_free(&title);
    text_free(&below);
    text_free(&plots[0]);
    text_free(&plots[1]);
}
