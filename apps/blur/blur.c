/* Gaussian blur of an image of 8-bit RGBA, by two kernels: along x, then along y. The components,
 * alpha among them, are numbers from 0 to 1 and are blurred separately. The radius is a constant of
 * the kernels, so they are compiled for it. */
#include "blur.h"
#include "apps.h"
#include "blur_kata.h"
#include "picture_kata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIGMA = 20, MAX_WEIGHTS = 2 * 3 * MAX_SIGMA + 1 };

/* All but none, so that they begin with the second rule. */
static const char *const rule_names[] = {
#define WORD(rule, word, meaning) [rule] = word,
    KATA_RULES(WORD)
#undef WORD
        [KATA_PERIODIC + 1] = NULL,
};

static kata_rule rule_of(int choice) { return (kata_rule)(choice + KATA_CONSTANT); }

static const char *const type_names[] = {"f64", "f32", "u8", NULL};
static const kata_type types[] = {KATA_F64, KATA_F32, KATA_UNORM8};
static const double tolerances[] = {1e-12, 1e-5, 1.0 / 255 + 1e-5}; /* u8 is rounded twice */

#define MADE "blur-in.png"

typedef struct settings {
    const char *input, *output;
    int64_t width, height;
    double sigma, value;
    int rule, type; /* which of the choices */
    bool no_check;
    resources limit;
} settings;

int blur_radius(double sigma) { return (int)ceil(3 * sigma); }

/* A value outside is rounded as those inside are. */
static blur_boundary boundary_of(const settings *s)
{
    double value = types[s->type] == KATA_UNORM8 ? floor(s->value * 255 + 0.5) / 255 : s->value;
    return (blur_boundary){rule_of(s->rule), value};
}

static bool can_be_stored(const settings *s)
{
    bool beyond =
        rule_of(s->rule) == KATA_ANTISYMMETRIC_FACE || rule_of(s->rule) == KATA_ANTISYMMETRIC_NODE;
    if (!beyond || types[s->type] != KATA_UNORM8) return true;
    fprintf(stderr,
            "kata run blur: --boundary %s makes values outside of 0 to 1, which --type u8 cannot "
            "hold\n",
            rule_names[rule_of(s->rule)]);
    return false;
}

/* Writes the picture that is blurred when none is given. */
static void make_picture(kata *k, int64_t width, int64_t height, const char *path)
{
    kata_grid *g = kata_grid_2d(k, width, height);
    kata_field *f = kata_field_new(g, "picture", KATA_F64, .components = 4);
    kata_module *m = kata_module_from_text(k, "picture.kata", picture_kata);
    kata_apply(kata_kernel_find(m, "picture"), kata_all(g), f);
    if (kata_save(f, path) == KATA_OK) printf("wrote %s\n", path);
}

static kata_module *load_kernels(kata *k, int radius)
{
    char constants[32];
    snprintf(constants, sizeof constants, "R=%d", radius);
    return kata_module_from_text(k, "blur.kata", blur_kata, .constants = constants);
}

/* Weights of the samples at -radius to radius; their sum is 1. */
static void fill_weights(double *weights, int radius, double sigma)
{
    int count = 2 * radius + 1;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double x = i - radius;
        sum += weights[i] = exp(-x * x / (2 * sigma * sigma));
    }
    for (int i = 0; i < count; i++) weights[i] /= sum;
}

/* Queues the blur of f, by way of g, into h. */
static void blur(kata *k, const kata_grid *grid, kata_field *f, kata_field *g, kata_field *h,
                 double sigma)
{
    int radius = blur_radius(sigma);
    double weights[MAX_WEIGHTS];
    fill_weights(weights, radius, sigma);
    kata_arg w = kata_table_of(KATA_F64, weights, 2 * radius + 1);
    kata_module *m = load_kernels(k, radius);
    kata_apply(kata_kernel_find(m, "blur_x"), kata_all(grid), f, g, w);
    kata_apply(kata_kernel_find(m, "blur_y"), kata_all(grid), g, h, w);
}

/* All values of a field of 4 components; NULL when memory is out. The caller frees them. */
static double *values_of(kata_field *f, const kata_grid *grid, int64_t points)
{
    double *values = malloc((size_t)(4 * points) * sizeof *values);
    if (values) kata_get(f, kata_all(grid), values, 4 * points);
    return values;
}

static bool check(const settings *s, const kata_grid *grid, kata_field *f, kata_field *h)
{
    double *image = values_of(f, grid, s->width * s->height);
    double *blurred = values_of(h, grid, s->width * s->height);
    double tolerance = tolerances[s->type], largest = -1;
    if (image && blurred)
        largest =
            blur_largest_difference(image, blurred, s->width, s->height, s->sigma, boundary_of(s));
    free(image);
    free(blurred);
    printf("largest difference from the direct convolution: %.2g\n", largest);
    if (largest >= 0 && largest <= tolerance) return true;
    if (largest < 0)
        fprintf(stderr, "kata run blur: out of memory for the check; --no-check leaves it out\n");
    else
        fprintf(stderr, "kata run blur: the difference should be at most %g\n", tolerance);
    return false;
}

static bool run(kata *k, settings *s)
{
    if (!can_be_stored(s)) return false;
    if (!s->input) make_picture(k, s->width, s->height, s->input = MADE);
    kata_png_size(k, s->input, &s->width, &s->height);
    kata_grid *grid = kata_grid_2d(k, s->width, s->height);
    kata_field *f = kata_field_new(grid, "image", types[s->type], .components = 4,
                                   .boundary = rule_of(s->rule), .boundary_value = s->value);
    kata_field *g = kata_field_like(f, "blurred_along_x"), *h = kata_field_like(f, "blurred");
    kata_load(f, s->input);
    blur(k, grid, f, g, h, s->sigma);
    kata_save(h, s->output);
    if (!kata_ok(k)) return false;

    printf("wrote %s: %lld x %lld pixels, sigma %g, radius %d, %s, %s\n", s->output,
           (long long)s->width, (long long)s->height, s->sigma, blur_radius(s->sigma),
           rule_names[rule_of(s->rule)], type_names[s->type]);
    return s->no_check || check(s, grid, f, h);
}

static const settings defaults = {.output = "blur.png",
                                  .width = 641,
                                  .height = 427,
                                  .sigma = 2,
                                  .rule = KATA_CLAMP - KATA_CONSTANT};

static const option table[] = {
    {"IN.png", "the image to blur; without one, a picture is made and written to blur-in.png",
     OPTION_VALUE(settings, input), .positional = true},
    {"OUT.png", "the blurred image", OPTION_VALUE(settings, output), .positional = true},
    {"sigma", "standard deviation of the Gaussian in pixels", OPTION_VALUE(settings, sigma),
     .low = 0.1, .high = MAX_SIGMA},
    {"boundary", "how the image continues outside", OPTION_VALUE(settings, rule),
     .choices = rule_names + KATA_CONSTANT},
    {"value", "of the rules constant and antisymmetric", OPTION_VALUE(settings, value), .low = 0,
     .high = 1},
    {"type", "how values are stored; u8 are bytes, from 0 to 1", OPTION_VALUE(settings, type),
     .choices = type_names},
    {"width", "of the picture that is made", OPTION_VALUE(settings, width), .low = 1,
     .high = 16384},
    {"height", "of the picture that is made", OPTION_VALUE(settings, height), .low = 1,
     .high = 16384},
    {"no-check", "do not compare with a direct convolution, which is slow",
     OPTION_VALUE(settings, no_check)},
    OPTIONS_OF_RESOURCES(settings),
};

const options blur_options = {
    "kata run blur",
    "Blurs an image with a Gaussian, and compares the result with a convolution that is computed\n"
    "independently. The components, alpha among them, are blurred separately.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* What an option says that nothing looks at would be lost. */
static int check_effects(const settings *s)
{
    const kata_rule rule = rule_of(s->rule);
    bool valued =
        rule == KATA_CONSTANT || rule == KATA_ANTISYMMETRIC_FACE || rule == KATA_ANTISYMMETRIC_NODE;
    if (s->value != 0 && !valued)
        return options_wrong(&blur_options, "--value means nothing to --boundary %s",
                             rule_names[rule]);
    if (s->input && (s->width != defaults.width || s->height != defaults.height))
        return options_wrong(&blur_options,
                             "--width and --height mean nothing to %s, which has a size", s->input);
    return 0;
}

int blur_main(int argc, char **argv)
{
    settings s;
    int exit_code;
    if (!options_read(&blur_options, &s, argc, argv, &exit_code)) return exit_code;
    exit_code = options_check_file(&blur_options, "OUT.png", s.output, ".png");
    if (!exit_code) exit_code = check_effects(&s);
    if (exit_code) return exit_code;
    const char *input = s.input ? s.input : MADE;
    if (same_file(input, s.output) || !strcmp(input, s.output))
        return options_wrong(&blur_options,
                             "%s is read and cannot be written, too: name another "
                             "OUT.png",
                             s.output);

    kata *k = options_open(&blur_options, &s.limit, &exit_code);
    if (!k) return exit_code;
    bool good = run(k, &s);
    return kata_close(k) == KATA_OK && good ? 0 : 1;
}
