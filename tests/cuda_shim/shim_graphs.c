/* Graphs of kernels that run one behind the other. What is launched is what the kernels were given
 * last; those that are queued already stay as they are. */
#include "cuda_shim.h"

#include <stdlib.h>
#include <string.h>

typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    void *kern, *ctx;
} CUDA_KERNEL_NODE_PARAMS;

enum { MOST = 64 };
typedef struct shim_node {
    shim_launch launch; /* with arguments of its own */
} * CUgraphNode;
typedef struct shim_graph {
    CUgraphNode nodes[MOST];
    int count;
} * CUgraph;
typedef struct shim_runs {
    CUgraph graph; /* NULL: gone */
    CUgraphNode nodes[MOST];
    int count;
} * CUgraphExec;

CUDA_SHIM_API cuGraphCreate(CUgraph *graph, unsigned flags);
CUDA_SHIM_API cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                      size_t count, const CUDA_KERNEL_NODE_PARAMS *what);
CUDA_SHIM_API cuGraphInstantiateWithFlags(CUgraphExec *runs, CUgraph graph,
                                          unsigned long long flags);
CUDA_SHIM_API cuGraphExecKernelNodeSetParams_v2(CUgraphExec runs, CUgraphNode node,
                                                const CUDA_KERNEL_NODE_PARAMS *what);
CUDA_SHIM_API cuGraphLaunch(CUgraphExec runs, CUstream stream);
CUDA_SHIM_API cuGraphExecDestroy(CUgraphExec runs);
CUDA_SHIM_API cuGraphDestroy(CUgraph graph);

static void free_node(CUgraphNode node)
{
    if (node) shim_launch_forget(&node->launch);
    free(node);
}

static CUgraphNode new_node(const shim_launch *launch)
{
    CUgraphNode node = calloc(1, sizeof *node);
    if (!node) abort();
    shim_launch_keep(&node->launch, launch);
    return node;
}

static CUresult read_node(const CUDA_KERNEL_NODE_PARAMS *what, shim_launch *launch)
{
    if (!what || !what->func || what->kern) return CUDA_ERROR_INVALID_VALUE;
    if (what->extra) return CUDA_ERROR_NOT_SUPPORTED;
    *launch = (shim_launch){.function = what->func,
                            .blocks = {what->gridDimX, what->gridDimY, what->gridDimZ},
                            .threads = {what->blockDimX, what->blockDimY, what->blockDimZ},
                            .dynamic = what->sharedMemBytes,
                            .arguments = what->kernelParams};
    return shim_launch_check(launch);
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!graph || flags) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    *graph = calloc(1, sizeof **graph);
    return shim_leave(*graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS *what)
{
    CUresult result = shim_enter();
    if (result) return result;
    if (!node || !graph) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    const bool follows =
        graph->count ? count == 1 && behind[0] == graph->nodes[graph->count - 1] : count == 0;
    if (!follows || graph->count == MOST || shim_number("KATA_SHIM_NO_GRAPHS", 0))
        return shim_leave(CUDA_ERROR_NOT_SUPPORTED);
    shim_launch launch;
    result = read_node(what, &launch);
    if (result) return shim_leave(result);
    *node = graph->nodes[graph->count++] = new_node(&launch);
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *runs, CUgraph graph, unsigned long long flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!runs || !graph || flags) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    CUgraphExec made = calloc(1, sizeof *made);
    if (!made) return shim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    made->graph = graph;
    made->count = graph->count;
    for (int i = 0; i < graph->count; i++) made->nodes[i] = new_node(&graph->nodes[i]->launch);
    *runs = made;
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec runs, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *what)
{
    CUresult result = shim_enter();
    if (result) return result;
    shim_launch launch;
    int i = 0;
    while (runs && i < runs->count && runs->graph->nodes[i] != node) i++;
    if (!runs || i == runs->count) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    result = read_node(what, &launch);
    if (result) return shim_leave(result);
    free_node(runs->nodes[i]);
    runs->nodes[i] = new_node(&launch);
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuGraphLaunch(CUgraphExec runs, CUstream stream)
{
    CUresult result = shim_enter();
    if (result) return result;
    if (!runs) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < runs->count && !result; i++)
        result = shim_launch_queue(&runs->nodes[i]->launch, stream);
    return shim_leave(result);
}

CUresult cuGraphExecDestroy(CUgraphExec runs)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!runs) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < runs->count; i++) free_node(runs->nodes[i]);
    free(runs);
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!graph) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < graph->count; i++) free_node(graph->nodes[i]);
    free(graph);
    return shim_leave(CUDA_SUCCESS);
}
