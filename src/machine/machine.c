/* hwloc finds caches: it knows the topology on every system it runs on. sysconf finds memory: the
 * nodes of a virtual machine may leave out memory that it was given later. */
#include "machine/machine.h"
#include "machine/processor.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* A set of cores. It must be as large as the system's set, whose size is unknown: it grows until it
 * fits. */
typedef struct core_set {
    cpu_set_t *set;
    size_t size;
    int most; /* cores that it has room for */
} core_set;

/* The cores that the caller may run on, to be freed by CPU_FREE; false if the system refuses. */
static bool usable_cores(core_set *out)
{
    for (int most = 1024; most <= 1 << 20; most *= 2) {
        core_set s = {CPU_ALLOC((size_t)most), CPU_ALLOC_SIZE((size_t)most), most};
        if (!s.set) return false;
        bool found = sched_getaffinity(0, s.size, s.set) == 0, small = !found && errno == EINVAL;
        *out = s;
        if (found && CPU_COUNT_S(s.size, s.set) >= 1) return true;
        CPU_FREE(s.set);
        if (!small) return false;
    }
    return false;
}

int machine_cores(void)
{
    core_set usable;
    if (!usable_cores(&usable)) return 1;
    int count = CPU_COUNT_S(usable.size, usable.set);
    CPU_FREE(usable.set);
    return count;
}

int machine_here(void) { return sched_getcpu(); }

bool machine_pin(pthread_t thread, int from, int n)
{
    core_set usable;
    if (from < 0 || !usable_cores(&usable)) return false;
    int core = from % usable.most;
    for (int left = n; left > 0;) {
        core = (core + 1) % usable.most;
        left -= CPU_ISSET_S((size_t)core, usable.size, usable.set) != 0;
    }
    bool one = CPU_ISSET_S((size_t)core, usable.size, usable.set);
    CPU_ZERO_S(usable.size, usable.set);
    CPU_SET_S((size_t)core, usable.size, usable.set);
    bool pinned = one && pthread_setaffinity_np(thread, usable.size, usable.set) == 0;
    CPU_FREE(usable.set);
    return pinned;
}

int64_t machine_third_cache(void)
{
    int64_t bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return larger(bytes, 0);
}

int64_t machine_second_cache(void)
{
    static _Atomic int64_t known;
    int64_t bytes = known;
    if (bytes) return bytes;
#ifdef _SC_LEVEL2_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    if (bytes <= 0) bytes = 256 << 10;
    known = bytes;
    return bytes;
}

/* The processing unit whose caches stand for all: the first that this process may run on. */
static hwloc_obj_t usable_unit(hwloc_topology_t topology)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_obj_t unit = NULL;
    if (set && hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0)
        unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)hwloc_bitmap_first(set));
    hwloc_bitmap_free(set);
    return unit ? unit : hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
}

/* The units below a cache that this process may run on: those that share it. */
static int sharing(hwloc_topology_t topology, hwloc_obj_t cache)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int count = 0;
    if (set && hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_and(set, set, cache->cpuset) == 0)
        count = hwloc_bitmap_weight(set);
    hwloc_bitmap_free(set);
    return count > 0 ? count : 1;
}

static void read_caches(hwloc_topology_t topology, machine *out)
{
    for (hwloc_obj_t at = usable_unit(topology); at; at = at->parent) {
        if (!hwloc_obj_type_is_dcache(at->type)) continue;
        int64_t size = (int64_t)at->attr->cache.size;
        switch (at->attr->cache.depth) {
        case 1: out->l1 = size; break;
        case 2:
            out->l2 = size;
            out->l2_cores = sharing(topology, at);
            break;
        case 3:
            out->l3 = size;
            out->l3_cores = sharing(topology, at);
            break;
        default: break;
        }
    }
}

static void read_model(hwloc_topology_t topology, machine *out)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (model) snprintf(out->cpu, sizeof out->cpu, "%s", model);
}

void machine_detect(machine *out)
{
    *out = (machine){.cores = machine_cores()};
    snprintf(out->simd, sizeof out->simd, "%s", machine_simd());
    machine_processor(out->cpu);
    machine_huge_pages(out);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) out->memory = (int64_t)pages * page;
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology)) return;
    if (hwloc_topology_load(topology) == 0) {
        read_caches(topology, out);
        if (!out->cpu[0]) read_model(topology, out);
    }
    hwloc_topology_destroy(topology);
}
