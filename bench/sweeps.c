/* The cases: kernels applied to all points. Bytes per point are facts about the algorithm, written
 * down here: Katagami's own analysis does not enter. */
#include "bench.h"

/* Members that a row leaves out are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum {
    ONCE = BENCH_SAME,                  /* its result is not its next input */
    STEPS = BENCH_SINGLE | BENCH_CHAIN, /* it is */
    ALL_WAYS = BENCH_SAME | BENCH_SINGLE | BENCH_CHAIN
};

/* ---- sizes: along x whole cache lines -------------------------------------------------------- */

/* clang-format off */
#define CUBE(n) {n, n, n}
#define SQUARE(n) {n, n, 1}
#define FLAT(n) {n, n, 80}
#define CUBES {CUBE(32), CUBE(48), CUBE(64), CUBE(96), CUBE(128), CUBE(192), CUBE(256), CUBE(320), \
               CUBE(512)}
#define SQUARES {SQUARE(64), SQUARE(128), SQUARE(256), SQUARE(512), SQUARE(1024), SQUARE(2048), \
                 SQUARE(4096), SQUARE(8192)}
#define FLATS {FLAT(32), FLAT(64), FLAT(128), FLAT(256), FLAT(512)}

static const bench_sizes sizes_2d = {SQUARE(8192), SQUARE(4096), SQUARE(128), SQUARES};
static const bench_sizes sizes_3d = {CUBE(512), CUBE(256), {128, 16, 16}, CUBES};
static const bench_sizes sizes_wave = {CUBE(512), CUBE(256), {64, 16, 16}, CUBES};
static const bench_sizes sizes_flat = {FLAT(512), FLAT(256), {64, 8, 16}, FLATS};
static const bench_sizes sizes_d2q9 = {SQUARE(4096), SQUARE(2048), SQUARE(64), SQUARES};
static const bench_sizes sizes_d3q19 = {CUBE(192), CUBE(128), {64, 4, 4}, CUBES};

/* ---- cases ----------------------------------------------------------------------------------- */

#define FROM_U_TO_V .fields = {{"u", 1}, {"v", 1}}, .swaps = "01", .bytes = 16
#define WAVE .fields = {{"u", 1}, {"previous", 1}, {"c", 1, .scale = 0.1}, {"next", 1}}, \
    .swaps = "1301", .bytes = 16, .type = KATA_F32, .sizes = &sizes_wave
#define LATTICE(velocities) .fields = {{"f", velocities}, {"g", velocities}}, .swaps = "01", \
    .numbers = {1.2}, .ghosts = 1
#define IN_ONE_FIELD(kind) .fields = {{"f", 19, kind}, {"g", 19, BENCH_TEMPORARY}}, \
    .numbers = {1.2, 1.2}, .ghosts = 1, .rule = KATA_PERIODIC, .dimensions = 3, .updates = 2, \
    .ways = STEPS, .sizes = &sizes_d3q19
#define IN_2D .dimensions = 2, .sizes = &sizes_2d
#define IN_3D .dimensions = 3, .sizes = &sizes_3d

const bench_case bench_sweeps[] = {
    {"copy", {{"copy", "01"}}, FROM_U_TO_V, IN_3D, .ways = ALL_WAYS,
     .plain = plain_copy, .hand = hand_copy},
    {"5-point 2-D", {{"star5", "01nn"}}, FROM_U_TO_V, IN_2D, .ways = ALL_WAYS, .ghosts = 1,
     .numbers = {0.4, 0.15}, .plain = plain_star5, .hand = hand_star5},
    {"9-point 2-D", {{"box9", "01nnn"}}, FROM_U_TO_V, IN_2D, .ways = ALL_WAYS, .ghosts = 1,
     .numbers = {0.2, 0.15, 0.05}, .plain = plain_box9, .hand = hand_box9},
    {"7-point 3-D", {{"star7", "01nn"}}, FROM_U_TO_V, IN_3D, .ways = ALL_WAYS, .ghosts = 1,
     .numbers = {0.4, 0.1}, .plain = plain_star7, .hand = hand_star7, .skewed = hand_skewed7},
    {"7-point, constant outside", {{"star7", "01nn"}}, FROM_U_TO_V, IN_3D, .ways = STEPS,
     .ghosts = 1, .rule = KATA_CONSTANT, .numbers = {0.4, 0.1}, .plain = plain_star7,
     .hand = hand_star7, .skewed = hand_skewed7},
    {"7-point, periodic", {{"star7", "01nn"}}, FROM_U_TO_V, IN_3D, .ways = STEPS, .ghosts = 1,
     .rule = KATA_PERIODIC, .numbers = {0.4, 0.1}, .plain = plain_star7_periodic,
     .hand = hand_star7_periodic},
    {"13-point 3-D", {{"star13", "01nnn"}}, FROM_U_TO_V, IN_3D, .ways = ALL_WAYS, .ghosts = 2,
     .numbers = {0.4, 0.12, -0.02}, .plain = plain_star13, .hand = hand_star13},
    {"27-point 3-D", {{"box27", "01nnnn"}}, FROM_U_TO_V, IN_3D, .ways = ALL_WAYS, .ghosts = 1,
     .numbers = {0.3, 0.05, 0.02, 0.02}, .plain = plain_box27, .hand = hand_box27},
    {"acoustic 8 f32", {{"acoustic8", "0123"}}, WAVE, .dimensions = 3, .ways = ALL_WAYS,
     .ghosts = 4, .plain = plain_acoustic8, .hand = hand_acoustic8},
    {"acoustic 16 f32", {{"acoustic16", "0123"}}, WAVE, .dimensions = 3, .ways = ALL_WAYS,
     .ghosts = 8, .plain = plain_acoustic16, .hand = hand_acoustic16},
    {"diffusion", {{"diffuse", "012"}}, .fields = {{"u", 1}, {"coeff", 1, .scale = 0.02}, {"v", 1}},
     .swaps = "02", .bytes = 24, .dimensions = 3, .ways = ALL_WAYS, .ghosts = 2,
     .sizes = &sizes_flat, .plain = plain_diffuse, .hand = hand_diffuse},
    {"diffusion in 4",
     {{"laplace", "03", BENCH_NEEDED}, {"limit_x", "034", BENCH_NEEDED},
      {"limit_y", "035", BENCH_NEEDED}, {"spread", "01452"}},
     .fields = {{"u", 1}, {"coeff", 1, .scale = 0.02}, {"v", 1}, {"lap", 1, BENCH_TEMPORARY},
                {"fx", 1, BENCH_TEMPORARY}, {"fy", 1, BENCH_TEMPORARY}},
     .swaps = "02", .bytes = 24, .dimensions = 3, .ways = STEPS, .ghosts = 2, .sizes = &sizes_flat,
     .plain = plain_diffuse_stages, .hand = hand_diffuse},
    /* Bytes: u_stage, u_pos, utens and w read, utens_stage read and written, c and d written and
       read. That u_pos and what is solved for pass memory once more is not counted. */
    {"advection", {{"eliminate", "0123456"}, {"substitute", "5613"}},
     .fields = {{"u_stage", 1}, {"u_pos", 1}, {"utens", 1}, {"utens_stage", 1}, {"w", 1}, {"c", 1},
                {"d", 1}},
     .bytes = 80, .dimensions = 3, .ways = ONCE, .ghosts = 1, .sizes = &sizes_flat,
     .plain = plain_advect, .hand = hand_advect},
    /* The same where c and d live within a step: u_stage, u_pos, utens and w read, utens_stage read
       and written. */
    {"advection, temporaries", {{"eliminate", "0123456"}, {"substitute", "5613"}},
     .fields = {{"u_stage", 1}, {"u_pos", 1}, {"utens", 1}, {"utens_stage", 1}, {"w", 1},
                {"c", 1, BENCH_TEMPORARY}, {"d", 1, BENCH_TEMPORARY}},
     .bytes = 48, .dimensions = 3, .ways = BENCH_SINGLE, .ghosts = 1, .sizes = &sizes_flat,
     .plain = plain_advect, .hand = hand_advect},
    {"D2Q9", {{"d2q9", "01n"}}, LATTICE(9), .bytes = 144, .dimensions = 2, .ways = ALL_WAYS,
     .sizes = &sizes_d2q9, .plain = plain_d2q9, .hand = hand_d2q9},
    {"D3Q19", {{"d3q19", "01n"}}, LATTICE(19), .bytes = 304, .dimensions = 3, .ways = ALL_WAYS,
     .sizes = &sizes_d3q19, .plain = plain_d3q19, .hand = hand_d3q19},
    {"D3Q19 f32", {{"d3q19", "01n"}}, LATTICE(19), .bytes = 152, .dimensions = 3, .ways = ALL_WAYS,
     .type = KATA_F32, .sizes = &sizes_d3q19, .plain = plain_d3q19_f32, .hand = hand_d3q19_f32},
    {"D3Q19 AA", {{"d3q19_aa_around", "0n"}, {"d3q19_aa_here", "0n"}}, IN_ONE_FIELD(BENCH_FULL),
     .bytes = 304, .plain = plain_d3q19_twice},
    {"D3Q19 AA f32", {{"d3q19_aa_around", "0n"}, {"d3q19_aa_here", "0n"}},
     IN_ONE_FIELD(BENCH_FULL), .bytes = 152, .type = KATA_F32, .plain = plain_d3q19_twice_f32},
    {"D3Q19 esoteric", {{"d3q19_esoteric_1", "0n"}, {"d3q19_esoteric_2", "0n"}},
     IN_ONE_FIELD(BENCH_ESOTERIC), .bytes = 304, .plain = plain_d3q19_twice},
    {"D3Q19 esoteric f32", {{"d3q19_esoteric_1", "0n"}, {"d3q19_esoteric_2", "0n"}},
     IN_ONE_FIELD(BENCH_ESOTERIC), .bytes = 152, .type = KATA_F32, .plain = plain_d3q19_twice_f32},
    {"sum", {{"sum", "0t"}}, .fields = {{"u", 1}}, IN_3D, .ways = ONCE, .bytes = 8,
     .plain = plain_sum, .hand = hand_sum},
    {"max", {{"greatest", "0t"}}, .fields = {{"u", 1}}, IN_3D, .ways = ONCE, .bytes = 8,
     .plain = plain_greatest, .hand = hand_greatest},
};
/* clang-format on */
const int bench_sweep_count = sizeof bench_sweeps / sizeof *bench_sweeps;
