/* The plugin for MPI, which is loaded once for the process. */
#include "comm/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct comm {
    int rank, ranks, node_ranks;
    const comm_plugin *plugin;
};

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

/* ---- opening --------------------------------------------------------------------------------- */

static comm_plugin *load(messages *m)
{
    text path = {0};
    bool found = companion_find(COMM_PLUGIN_FILE, "KATA_MPI", &path);
    void *library = found ? dlopen(text_get(&path), RTLD_NOW | RTLD_LOCAL) : NULL;
    comm_plugin *plugin = library ? dlsym(library, COMM_PLUGIN_SYMBOL) : NULL;
    if (!found)
        message_fail(m, KATA_ERROR_ARGUMENT,
                     "this program was launched on several ranks, which needs " COMM_PLUGIN_FILE
                     ", and that is not there (tried %s): build the library where MPI is "
                     "installed, or set KATA_MPI to its path",
                     text_get(&path));
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

/* Starts MPI, and compares its ranks with those that the launcher has named. */
static bool join(comm *c, int ranks, messages *m)
{
    comm_plugin *plugin = load(m);
    if (!plugin || failed(m, plugin->start())) return false;
    if (plugin->ranks != ranks) {
        message_fail(m, KATA_ERROR_ARGUMENT,
                     "the launcher has started %d ranks, and MPI knows of %d: the plugin is built "
                     "with another MPI than that of the launcher",
                     ranks, plugin->ranks);
        return false;
    }
    *c = (comm){plugin->rank, plugin->ranks, plugin->node_ranks, plugin};
    return true;
}

comm *comm_open(messages *m)
{
    static comm joined;
    int rank, ranks;
    if (joined.plugin) return &joined;
    comm_launched(&rank, &ranks);
    return ranks > 1 && join(&joined, ranks, m) ? &joined : NULL;
}

int comm_rank(const comm *c) { return c->rank; }
int comm_ranks(const comm *c) { return c->ranks; }
int comm_node_ranks(const comm *c) { return c->node_ranks; }

/* ---- messages -------------------------------------------------------------------------------- */

kata_status comm_exchange(comm *c, comm_message *list, int count, messages *m)
{
    return failed(m, c->plugin->exchange(list, count));
}

kata_status comm_gather(comm *c, const void *mine, const size_t *starts, void *all, messages *m)
{
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

void comm_give_up(const comm *c, const char *message)
{
    fprintf(stderr, "error: rank %d: %s\n", c->rank, message);
    c->plugin->give_up();
    abort();
}
