/* The plugin for MPI, which is loaded once for the process. */
#include "comm/plugin.h"
#include "comm/watch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONGEST_WORDS = 120 };

struct comm {
    int rank, ranks, node_ranks;
    const comm_plugin *plugin;
    watch watch;
    int64_t first_note;       /* seconds of waiting, after which a note says so */
    char next[LONGEST_WORDS]; /* what this rank does with others, or is about to */
};

static comm joined;

/* ---- launchers ------------------------------------------------------------------------------- */

/* Variables of launchers: of Open MPI, of MPICH and others with its process manager, of Slurm. */
static const struct launcher {
    const char *rank, *ranks;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMI_RANK", "PMI_SIZE"},
                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

void comm_launched(int *rank, int *ranks)
{
    *rank = 0;
    *ranks = 1;
    for (size_t i = 0; i < COUNT_OF(launchers); i++) {
        const char *own = environment_get(launchers[i].rank);
        const char *all = environment_get(launchers[i].ranks);
        int64_t r, n;
        if (!own || !all || !parse_integer(all, 2, INT32_MAX, &n) ||
            !parse_integer(own, 0, n - 1, &r))
            continue;
        *rank = (int)r;
        *ranks = (int)n;
        return;
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

static _Noreturn void end_all(const comm *c)
{
    c->plugin->give_up();
    abort();
}

/* Other ranks that wait find the same out, and have a second to say so, or some where the machine
 * is busy. */
static _Noreturn void end_without(comm *c, int rank, bool left)
{
    const struct timespec second = {1, 0};
    watch_say_missing(&c->watch, rank, left);
    fprintf(stderr,
            "error: rank %d: rank %d has %s, and is waited for: this rank is to %s; all ranks make "
            "the same calls\n",
            c->rank, rank, left ? "left the program" : "died", c->next);
    for (int i = 0; i < 10 && (i == 0 || watch_others_wait(&c->watch)); i++)
        nanosleep(&second, NULL);
    end_all(c);
}

static void say_awaited(const comm *c, double seconds)
{
    text ranks = {0};
    watch_add_awaited(&c->watch, &ranks);
    fprintf(stderr, "note: rank %d has waited for %s for %.0f s; it is to %s\n", c->rank,
            text_get(&ranks), seconds, c->next);
    text_free(&ranks);
}

/* What the plugin calls while it waits. */
static void look(int left, uint64_t meetings)
{
    watch *w = &joined.watch;
    if (!w->slots) return;
    double seconds = watch_wait(w);
    bool has_left;
    int gone = watch_find_gone(w, &has_left);
    if (gone < 0) has_left = true;
    if (gone < 0 && left >= 0 && watch_misses(w, meetings, true)) gone = left;
    if (gone >= 0) end_without(&joined, gone, has_left);
    if (watch_is_to_say(w)) say_awaited(&joined, seconds);
}

static void go_on(void) { watch_go_on(&joined.watch); }

static uint64_t leave(void)
{
    comm_name_next(&joined, "leave the program");
    return watch_leave(&joined.watch);
}

/* ---- opening --------------------------------------------------------------------------------- */

static comm_plugin *load(const char *why, messages *m)
{
    text path = {0};
    bool found = companion_find(COMM_PLUGIN_FILE, "KATA_MPI", &path);
    void *library = found ? dlopen(text_get(&path), RTLD_NOW | RTLD_LOCAL) : NULL;
    comm_plugin *plugin = library ? dlsym(library, COMM_PLUGIN_SYMBOL) : NULL;
    if (!found)
        message_fail(m, KATA_ERROR_ARGUMENT,
                     "this program %s, which needs " COMM_PLUGIN_FILE
                     ", and that is not there (tried %s): build the library where MPI is "
                     "installed, or set KATA_MPI to its path",
                     why, text_get(&path));
    else if (!plugin)
        message_fail(m, KATA_ERROR_ARGUMENT, "%s cannot be loaded: %s", text_get(&path), dlerror());
    else if (plugin->version != COMM_PLUGIN_VERSION)
        message_fail(m, KATA_ERROR_ARGUMENT, "%s is of another version of the library",
                     text_get(&path));
    text_free(&path);
    return m->status ? NULL : plugin;
}

static kata_status failed(messages *m, const char *why)
{
    return why ? message_fail(m, KATA_ERROR_INTERNAL, "MPI: %s", why) : KATA_OK;
}

static kata_status gather_equal(comm *c, const void *mine, size_t bytes, size_t *starts, void *all,
                                messages *m)
{
    for (int i = 0; i <= c->ranks; i++) starts[i] = (size_t)i * bytes;
    return comm_gather(c, mine, starts, all, m);
}

/* Whether all ranks have joined the page of their machine. */
static bool join_pages(comm *c, watch *joining, size_t *starts, char *all, messages *m)
{
    const comm_plugin *plugin = c->plugin;
    char mine[WATCH_NAME] = "";
    if (plugin->node_rank == 0) watch_make(mine, c->node_ranks);
    if (gather_equal(c, mine, sizeof mine, starts, all, m)) return false;
    char has = watch_join(joining, all + starts[plugin->node_first], plugin->node_rank,
                          c->node_ranks, c->rank, (double)c->first_note);
    if (gather_equal(c, &has, sizeof has, starts, all, m)) return false;
    if (*mine) watch_hide(mine);
    return !memchr(all, 0, (size_t)c->ranks);
}

/* Ranks watch one another from here on, unless some cannot. */
static kata_status begin_watch(comm *c, messages *m)
{
    watch joining = {.slots = NULL}; /* nobody watches before all have joined */
    size_t *starts = calloc((size_t)c->ranks + 1, sizeof *starts);
    char *all = calloc((size_t)c->ranks, WATCH_NAME);
    if (!starts || !all) comm_give_up(c, "out of memory");
    bool has = join_pages(c, &joining, starts, all, m);
    if (!has) watch_end(&joining);
    if (!has && !m->status && c->rank == 0)
        fprintf(stderr, "note: ranks cannot see whether others have left or died: some machine has "
                        "no room in /dev/shm\n");
    c->watch = joining;
    free(starts);
    free(all);
    return m->status;
}

static kata_status read_first_note(int64_t *seconds, messages *m)
{
    enum { USUAL = 10, MOST = 86400 };
    const char *words = environment_get("KATA_RANKS_NOTE");
    *seconds = USUAL;
    if (!words || parse_integer(words, 1, MOST, seconds)) return KATA_OK;
    return message_fail(m, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_RANKS_NOTE is '%s', not whole seconds from "
                        "1 to %d",
                        words, MOST);
}

/* Joins the ranks of a communicator; or starts MPI, and compares its ranks with those that the
 * launcher has named. */
static kata_status join(comm *c, const void *communicator, int ranks, messages *m)
{
    int64_t first_note;
    if (read_first_note(&first_note, m)) return m->status;
    comm_plugin *plugin =
        load(communicator ? "gives a communicator" : "was launched on several ranks", m);
    if (!plugin || failed(m, plugin->start(communicator, look, go_on, leave))) return m->status;
    if (!communicator && plugin->ranks != ranks)
        return message_fail(
            m, KATA_ERROR_ARGUMENT,
            "the launcher has started %d ranks, and MPI knows of %d: the plugin is built "
            "with another MPI than that of the launcher",
            ranks, plugin->ranks);
    *c = (comm){plugin->rank,   plugin->ranks, plugin->node_ranks, plugin, .first_note = first_note,
                .next = "begin"};
    return c->ranks > 1 ? begin_watch(c, m) : KATA_OK;
}

static kata_status compare(const comm *c, const void *communicator, messages *m)
{
    bool same = false;
    const char *why = c->plugin->compare(communicator, &same);
    if (why || same) return failed(m, why);
    return message_fail(m, KATA_ERROR_ARGUMENT,
                        "kata_open: the communicator has other ranks than the first context of "
                        "this process, which all later ones share");
}

comm *comm_open(const void *communicator, messages *m)
{
    kata_status status = KATA_OK;
    int rank, ranks;
    int64_t first_note; /* for the next mpirun */
    if (read_first_note(&first_note, m)) return NULL;
    comm_launched(&rank, &ranks);
    if (!joined.plugin && (communicator || ranks > 1))
        status = join(&joined, communicator, ranks, m);
    else if (communicator)
        status = compare(&joined, communicator, m);
    return !status && joined.ranks > 1 ? &joined : NULL;
}

int comm_rank(const comm *c) { return c->rank; }
int comm_ranks(const comm *c) { return c->ranks; }
int comm_node_ranks(const comm *c) { return c->node_ranks; }
int comm_node_rank(const comm *c) { return c->plugin->node_rank; }

bool comm_takes_cuda(const comm *c) { return c->plugin->takes_cuda; }

void comm_name_next(comm *c, const char *words) { snprintf(c->next, sizeof c->next, "%s", words); }

/* ---- messages -------------------------------------------------------------------------------- */

kata_status comm_exchange(comm *c, comm_message *list, int count, messages *m)
{
    return failed(m, c->plugin->exchange(list, count));
}

kata_status comm_gather(comm *c, const void *mine, const size_t *starts, void *all, messages *m)
{
    watch_meet(&c->watch);
    return failed(m, c->plugin->gather(mine, starts, all));
}

kata_status comm_gather_starts(comm *c, size_t bytes, size_t *starts, messages *m)
{
    for (int i = 0; i <= c->ranks; i++) starts[i] = (size_t)i * sizeof bytes;
    uint64_t *each = calloc((size_t)c->ranks + 1, sizeof *each), mine = bytes;
    if (!each) return message_no_memory(m);
    kata_status status = comm_gather(c, &mine, starts, each, m);
    starts[0] = 0;
    for (int i = 0; i < c->ranks; i++) starts[i + 1] = starts[i] + each[i];
    free(each);
    return status;
}

kata_status comm_largest(comm *c, uint64_t *values, int count, messages *m)
{
    watch_meet(&c->watch);
    return failed(m, c->plugin->largest(values, count));
}

void comm_give_up(const comm *c, const char *message)
{
    fprintf(stderr, "error: rank %d: %s\n", c->rank, message);
    end_all(c);
}
