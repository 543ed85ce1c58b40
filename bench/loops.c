/* The cases: loops that users write. Nearly all competitors are plain loops. */
#include "bench.h"

/* Members that a row leaves out are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { EACH = BENCH_SINGLE, STEPS = BENCH_SINGLE | BENCH_CHAIN };

/* ---- sizes ----------------------------------------------------------------------------------- */

/* clang-format off */
#define CUBE(n) {n, n, n}
#define SQUARE(n) {n, n, 1}
#define LONG(nx) {nx, 512, 256}
#define CUBES {CUBE(32), CUBE(48), CUBE(64), CUBE(96), CUBE(128), CUBE(192), CUBE(256), CUBE(512)}
#define SQUARES {SQUARE(64), SQUARE(128), SQUARE(256), SQUARE(512), SQUARE(1024), SQUARE(2048), \
                 SQUARE(4096), SQUARE(8192)}

static const bench_sizes sizes_2d = {SQUARE(4096), SQUARE(1024), SQUARE(128), SQUARES};
static const bench_sizes sizes_3d = {CUBE(256), CUBE(128), {128, 16, 16}, CUBES};
static const bench_sizes sizes_many = {SQUARE(256), SQUARE(128), SQUARE(64), SQUARES};
static const bench_sizes sizes_small = {
    CUBE(64), CUBE(32), CUBE(32), {CUBE(32), CUBE(40), CUBE(48), CUBE(56), CUBE(64)}
};
static const bench_sizes sizes_short = {
    LONG(20), LONG(5), {5, 32, 16}, {LONG(5), LONG(8), LONG(12), LONG(16), LONG(20), LONG(24), LONG(32), LONG(40)}
};
static const bench_sizes sizes_lattice = {
    CUBE(128), CUBE(64), CUBE(16), {CUBE(32), CUBE(48), CUBE(64), CUBE(96), CUBE(128), CUBE(192)}
};
static const bench_sizes sizes_cycle = {
    CUBE(128), CUBE(64), CUBE(32), {CUBE(16), CUBE(32), CUBE(64), CUBE(128), CUBE(256)}
};

static const bench_sizes sizes_seidel = {SQUARE(2000), SQUARE(1000), SQUARE(128), SQUARES};
static const bench_sizes sizes_p2p = {SQUARE(4000), SQUARE(2000), SQUARE(128), SQUARES};

static const bench_sizes sizes_vortex = {
    CUBE(128), CUBE(64), CUBE(24), {CUBE(32), CUBE(64), CUBE(96), CUBE(128), CUBE(192)}
};
static const bench_sizes sizes_picture = {
    {4096, 2048, 1}, SQUARE(1024), SQUARE(128), SQUARES
};
static const bench_sizes sizes_hydro = {SQUARE(1920), SQUARE(960), SQUARE(64),
    {SQUARE(240), SQUARE(480), SQUARE(960), SQUARE(1920), SQUARE(3840)}
};

/* ---- cases ----------------------------------------------------------------------------------- */

#define FROM_U_TO_V .fields = {{"u", 1}, {"v", 1}}, .swaps = "01"
#define IN_PLACE .fields = {{"u", 1}, {"f", 1, .scale = 0.01}}
#define BY_TABLE .fields = {{"u", 1}, {"material", 1, BENCH_INDEX}, {"v", 1}}, .swaps = "02"
#define TWO_GRIDS .fields = {{"fine", 1}, {"coarse", 1, BENCH_COARSE}}
#define IN_2D .dimensions = 2, .ghosts = 1, .sizes = &sizes_2d
#define IN_3D .dimensions = 3, .ghosts = 1, .sizes = &sizes_3d
#define RED_BLACK(kernel, arguments) \
    {{kernel, arguments, BENCH_RED}, {kernel, arguments, BENCH_BLACK}}

const bench_case bench_loops[] = {
    {"5-point, residual", {{"star5_sum", "01nnt"}}, FROM_U_TO_V, IN_2D, .ways = STEPS,
     .numbers = {0.4, 0.15}, .plain = plain_star5_sum},
    {"7-point, residual", {{"star7_sum", "01nnt"}}, FROM_U_TO_V, IN_3D, .ways = STEPS,
     .numbers = {0.4, 0.1}, .plain = plain_star7_sum},
    {"red-black 2-D", RED_BLACK("relax2", "01"), IN_PLACE, IN_2D, .ways = STEPS,
     .plain = plain_red_black2},
    {"red-black 2-D, residual", RED_BLACK("relax2_sum", "01t"), IN_PLACE, IN_2D, .ways = STEPS,
     .plain = plain_red_black2_sum},
    {"red-black 3-D", RED_BLACK("relax3", "01"), IN_PLACE, IN_3D, .ways = STEPS,
     .plain = plain_red_black3},
    {"red-black 3-D, residual", RED_BLACK("relax3_sum", "01t"), IN_PLACE, IN_3D, .ways = STEPS,
     .plain = plain_red_black3_sum},
    {"seidel-2d", {{"seidel2", "0"}}, .fields = {{"u", 1}}, .dimensions = 2, .ghosts = 1,
     .sizes = &sizes_seidel, .ways = STEPS, .bytes = 16, .plain = plain_seidel2},
    {"synch_p2p", {{"synch_p2p", "0"}}, .fields = {{"u", 1}}, .dimensions = 2, .ghosts = 1,
     .sizes = &sizes_p2p, .ways = STEPS, .bytes = 16, .plain = plain_synch_p2p},
    {"Gauss-Seidel 3-D", {{"seidel3", "01"}}, IN_PLACE, IN_3D, .ways = STEPS, .bytes = 24,
     .plain = plain_seidel3},
    {"table of 32", {{"lookup32", "012w"}}, BY_TABLE, IN_2D, .ways = STEPS, .table = 32,
     .plain = plain_lookup},
    {"table of 256", {{"lookup256", "012w"}}, BY_TABLE, IN_2D, .ways = STEPS, .table = 256,
     .plain = plain_lookup},
    {"small grid", {{"star7", "01nn"}}, FROM_U_TO_V, .dimensions = 3, .ghosts = 1, .ways = STEPS,
     .sizes = &sizes_small, .numbers = {0.4, 0.1}, .plain = plain_star7, .hand = hand_star7},
    {"small loops",
     {{"pressure", "012"}, {"push_x", "203"}, {"push_y", "204"}, {"slow_down", "34"},
      {"mass_flux", "03456"}, {"density", "560"}, {"energy", "2341"}},
     .fields = {{"rho", 1}, {"e", 1}, {"p", 1, .scale = 0.4}, {"u", 1, .scale = 0.001},
                {"v", 1, .scale = 0.001}, {"x", 1, .scale = 0.001}, {"y", 1, .scale = 0.001}},
     .dimensions = 2, .ghosts = 1, .ways = STEPS, .sizes = &sizes_many, .plain = plain_flow},
    {"restriction", {{"restrict8", "01", BENCH_PARENTS}}, TWO_GRIDS, IN_3D, .ways = EACH,
     .plain = plain_restrict},
    {"prolongation", {{"prolong", "10", BENCH_PARENTS}}, TWO_GRIDS, IN_3D, .ways = EACH,
     .plain = plain_prolong},
    {"profiles along z", {{"profile", "0123"}},
     .fields = {{"u", 1}, {"k", 1, BENCH_PROFILE, 0.1}, {"source", 1, BENCH_PROFILE, 0.001},
                {"v", 1}},
     .swaps = "03", IN_3D, .ways = STEPS, .plain = plain_profile},
    {"short rows", {{"star7", "01nn"}}, FROM_U_TO_V, .dimensions = 3, .ghosts = 1, .ways = STEPS,
     .sizes = &sizes_short, .numbers = {0.4, 0.1}, .plain = plain_star7},
    {"D3Q19, obstacle", {{"d3q19_obstacle", "021tttn"}},
     .fields = {{"f", 19}, {"g", 19}, {"solid", 1, BENCH_MASK}}, .swaps = "01", .numbers = {1.2},
     .dimensions = 3, .ghosts = 1, .ways = STEPS, .sizes = &sizes_lattice,
     .plain = plain_d3q19_obstacle},
    {"V-cycle", .dimensions = 3, .ways = STEPS, .sizes = &sizes_cycle, .own = &bench_vcycle},
    {"hydrodynamics", .dimensions = 2, .ways = STEPS, .sizes = &sizes_hydro, .own = &bench_hydro},
    {"Taylor-Green vortex", .dimensions = 3, .ways = STEPS, .sizes = &sizes_vortex, .own = &bench_vortex},
    {"column sums", .dimensions = 3, .ways = EACH, .sizes = &sizes_3d, .own = &bench_columns},
    {"histogram, bytes", .dimensions = 2, .ways = EACH, .sizes = &sizes_picture,
     .own = &bench_bins_u8},
    {"histogram, floats", .dimensions = 2, .ways = EACH, .sizes = &sizes_picture,
     .own = &bench_bins_f32},
};
/* clang-format on */
const int bench_loop_count = sizeof bench_loops / sizeof *bench_loops;
