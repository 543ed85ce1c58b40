/* What is measured. The bytes per point are facts about the algorithm, written down here:
 * Katagami's own analysis has no say in them. */
#include "bench.h"

/* Sizes: memory, --quick, in a second-level cache. */
#define SIZES_2D                                                                                   \
    {8192, 8192, 1}, {4096, 4096, 1}, { 128, 128, 1 }
#define SIZES_3D                                                                                   \
    {512, 512, 512}, {256, 256, 256}, { 32, 32, 32 }
#define ONE_TO_ONE                                                                                 \
    {                                                                                              \
        {"u", 1, false}, { "v", 1, true }                                                          \
    }

const bench_case bench_cases[] = {
    {"copy",
     {"copy"},
     {"01"},
     ONE_TO_ONE,
     {0},
     KATA_F64,
     3,
     0,
     SIZES_3D,
     16,
     plain_copy,
     hand_copy},
    {"5-point 2-D",
     {"star5"},
     {"01nn"},
     ONE_TO_ONE,
     {0.2, 0.15},
     KATA_F64,
     2,
     1,
     SIZES_2D,
     16,
     plain_star5,
     hand_star5},
    {"9-point 2-D",
     {"box9"},
     {"01nnn"},
     ONE_TO_ONE,
     {0.2, 0.15, 0.05},
     KATA_F64,
     2,
     1,
     SIZES_2D,
     16,
     plain_box9,
     hand_box9},
    {"7-point 3-D",
     {"star7"},
     {"01nn"},
     ONE_TO_ONE,
     {0.4, 0.1},
     KATA_F64,
     3,
     1,
     SIZES_3D,
     16,
     plain_star7,
     hand_star7},
    {"sum",
     {"sum"},
     {"0t"},
     {{"u", 1, false}},
     {0},
     KATA_F64,
     3,
     0,
     SIZES_3D,
     8,
     plain_sum,
     hand_sum},
};
const int bench_case_count = sizeof bench_cases / sizeof *bench_cases;
