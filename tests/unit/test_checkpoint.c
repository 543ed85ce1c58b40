/* Checkpoints: a run that ends anywhere and goes on gives the bits of one that does not; what is
 * damaged, missing or of another program is told; the one before stays. */
/* Labels: hostile slow */
#include "kata/kata.h"

#include "base/base.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kata_checkpoint_XXXXXX";

typedef struct errors {
    char error[1024], warning[1024];
} errors;

static void keep_message(void *data, kata_status status, const char *message)
{
    errors *e = data;
    snprintf(status ? e->error : e->warning, sizeof e->error, "%s", message);
}

/* ---- a program ------------------------------------------------------------------------------- */

enum { NX = 13, NY = 9, STEPS = 12, POINTS = NX * NY };

/* How a run differs from others; all zero: one that is not interrupted. */
typedef struct way {
    int64_t every; /* steps between checkpoints */
    int64_t stop;  /* the step at which it ends; 0: at the last */
    bool resumes;
    const char *executor;
    int threads;
    bool backwards;  /* everything is made in another order */
    kata_type other; /* the type of the field "half", if that is not f16 */
    int more;        /* 1: another field; 2: another variable; 3: a field less; 4: other points */
} way;

typedef struct program {
    errors errors;
    kata *k;
    kata_grid *g, *coarse;
    kata_field *u, *v, *half, *byte, *bf, *face, *ghosted, *old, *parts, *profile, *temporary;
    kata_scalar *sum, *most, *bins;
    kata_module *m;
    double time;
    struct {
        int64_t count;
        char letters[7];
    } kept;
    int64_t first; /* step */
} program;

static const char kernels[] =
    "kernel start(out double u, out double h, out uchar b, out double bf) {\n"
    "  u = sin(0.3*ix + 0.7*iy); h = u; b = ix*31 + iy; bf = 1/(1.0 + ix); }\n"
    "kernel faces(out double f) { f = 0.1*ix - iy; }\n"
    "kernel step(in double u, out double v, inout double h, inout uchar b, inout double bf,\n"
    "  double s, out double t) {\n"
    "  t = u[1,0] + u[-1,0]; v = 0.9*u + 0.02*(t + u[0,1] + u[0,-1]) + 1e-3*s; h = h*0.99 + v;\n"
    "  b = b + ix; bf = bf*1.01; }\n"
    "kernel use(in double t, inout double v) { v += 1e-4*t; }\n"
    "kernel push(inout double f, in double u) { f += 0.01*u; }\n"
    "kernel edge(out double g) { g = 5 + ix + 0.5*iy; }\n"
    "kernel look(in double g, inout double v) { v += 1e-5*(g[1,0] + g[-1,0]); }\n"
    "kernel total(in double u, sum double s, max double m, sum double bins[3]) {\n"
    "  s += u; m = max(m, fabs(u)); bins[0] += u; bins[2] += u*u; }\n"
    "kernel rows(in double u, sum double p along y) { p += u; }\n"
    "kernel add(in double p along y, inout double v) { v += 1e-6*p; }\n"
    "kernel write(in double u, out double o) { o = 2*u; }\n";

static void make_field(program *p, const way *w, int which)
{
    switch (which) {
    case 0: p->u = kata_field_new(p->g, "u", KATA_F64, .boundary = KATA_PERIODIC); break;
    case 1:
        p->v = kata_field_new(p->g, "v", KATA_F64, .boundary = KATA_CLAMP, .layout = KATA_BLOCKS);
        break;
    case 2: p->half = kata_field_new(p->g, "half", w->other ? w->other : KATA_F16); break;
    case 3: p->byte = kata_field_new(p->g, "byte", KATA_U8); break;
    case 4: p->bf = kata_field_new(p->g, "bf", KATA_BF16); break;
    case 5:
        p->face =
            kata_field_new(p->g, "face", KATA_F32, .staggered = KATA_X, .boundary = KATA_PERIODIC);
        break;
    case 6:
        p->ghosted = kata_field_new(p->g, "ghosted", KATA_F64, .ghosts_x = w->more == 4 ? 2 : 1);
        break;
    case 7:
        if (w->more != 3) p->old = kata_field_new(p->g, "old", KATA_F64);
        break;
    case 8: p->parts = kata_field_new(p->g, "parts", KATA_F64, .ghosts = 1); break;
    case 9: p->profile = kata_field_new(p->g, "profile", KATA_F64, .along = KATA_Y); break;
    case 10: p->temporary = kata_field_new(p->g, "temporary", KATA_F64, .temporary = true); break;
    case 11:
        if (w->more == 1) kata_field_new(p->coarse, "coarse", KATA_I16);
        break;
    }
}

static void make_fields(program *p, const way *w)
{
    enum { FIELDS = 12 };
    for (int i = 0; i < FIELDS; i++) make_field(p, w, w->backwards ? FIELDS - 1 - i : i);
}

static void make_scalars(program *p, const way *w)
{
    p->sum = kata_scalar_new(p->k, "sum", KATA_F64);
    p->most = kata_scalar_new(p->k, "most", KATA_F64);
    p->bins = kata_scalar_array_new(p->k, "bins", KATA_F64, 3);
    kata_scalar_log(p->sum, 5);
    kata_keep(p->k, "time", &p->time, sizeof p->time);
    kata_keep(p->k, "kept", &p->kept, sizeof p->kept);
    if (w->more == 2) kata_keep(p->k, "first", &p->first, sizeof p->first);
}

static void apply(program *p, const char *name, kata_range range, kata_field *a, kata_field *b)
{
    kata_apply(kata_kernel_find(p->m, name), range, a, b);
}

static void begin(program *p)
{
    kata_apply(kata_kernel_find(p->m, "start"), kata_all(p->g), p->u, p->half, p->byte, p->bf);
    kata_apply(kata_kernel_find(p->m, "faces"), kata_on(p->face), p->face);
    kata_apply(kata_kernel_find(p->m, "edge"), kata_ghost(p->ghosted, KATA_X_LOW, 1), p->ghosted);
    kata_apply(kata_kernel_find(p->m, "edge"), kata_ghost(p->ghosted, KATA_X_HIGH, 1), p->ghosted);
    p->kept.count = 100;
    memcpy(p->kept.letters, "abcdef", 7);
}

/* A step leaves fields swapped, rules changed, one field discarded and one written in part. */
static void step(program *p, int64_t i)
{
    kata_range all = kata_all(p->g);
    kata_apply(kata_kernel_find(p->m, "step"), all, p->u, p->v, p->half, p->byte, p->bf, p->sum,
               p->temporary);
    apply(p, "use", all, p->temporary, p->v);
    kata_boundary_set(p->v, KATA_Y_LOW, i % 3 ? KATA_CLAMP : KATA_CONSTANT, (double)i);
    static const double weights[2][3] = {{-2, 1. / 3, 8. / 3}, {0.5, 0.25, 0.25}};
    if (i == 4) kata_boundary_linear(p->v, KATA_Y_HIGH, 2, 2, weights[0], .value = 0.5);
    kata_swap(p->u, p->v);
    apply(p, "push", all, p->face, p->u);
    apply(p, "look", all, p->ghosted, p->u);
    kata_apply(kata_kernel_find(p->m, "total"), all, p->u, p->sum, p->most, p->bins);
    apply(p, "rows", all, p->u, p->profile);
    apply(p, "add", all, p->profile, p->u);
    if (p->old && i % 2) apply(p, "write", all, p->u, p->old);
    if (p->old && i % 2 == 0) kata_discard(p->old);
    if (i % 4 == 1) kata_discard(p->parts);
    if (i % 4 == 2) apply(p, "write", all, p->u, p->parts);
    for (int side = 0; side < 4 && i % 4 == 3; side++)
        kata_fill(p->parts, kata_ghost(p->parts, (kata_side)side, 1), 1.5);
    p->time += 0.1;
    p->kept.count += i;
    kata_step(p->k);
}

static void open_program(program *p, const way *w)
{
    *p = (program){.first = 0};
    p->k = kata_open(&(kata_options){.handler = keep_message,
                                     .handler_data = &p->errors,
                                     .executor = w->executor,
                                     .threads = w->threads});
    assert_non_null(p->k);
    p->g = kata_grid_2d(p->k, NX, NY);
    p->coarse = kata_grid_2d(p->k, 3, 3);
    p->m = kata_module_from_text(p->k, "checkpoint", kernels);
    kata_checkpoint(p->k, "run.h5", .steps = w->every);
    if (w->backwards) make_scalars(p, w);
    make_fields(p, w);
    if (!w->backwards) make_scalars(p, w);
    begin(p);
    if (w->resumes) p->first = kata_resume(p->k);
}

static void run(program *p, const way *w)
{
    open_program(p, w);
    const int64_t end = w->stop ? w->stop : STEPS;
    for (int64_t i = p->first; i < end && kata_ok(p->k); i++) step(p, i);
}

/* ---- what it leaves -------------------------------------------------------------------------- */

typedef struct result {
    double u[POINTS], v[POINTS], bf[POINTS], half[POINTS], face[POINTS], hidden[NX + 1],
        outside[2 * NY];
    uint8_t byte[POINTS];
    double sum, bins[3], log[5], time, profile[NY], beside[NX];
    int64_t count, logged;
    char letters[7];
} result;

static void take(program *p, result *r)
{
    memset(r, 0, sizeof *r);
    kata_range all = kata_all(p->g), row = kata_box_2d(p->g, 0, NX, -1, 0);
    kata_get(p->u, all, r->u, POINTS);
    kata_get(p->v, all, r->v, POINTS);
    kata_get(p->bf, all, r->bf, POINTS);
    kata_get(p->half, all, r->half, POINTS);
    kata_get(p->byte, all, r->byte, POINTS);
    kata_get(p->face, all, r->face, POINTS);
    kata_get(p->profile, kata_on(p->profile), r->profile, NY);
    kata_get(p->ghosted, kata_ghost(p->ghosted, KATA_X_LOW, 1), r->outside, NY);
    kata_get(p->ghosted, kata_ghost(p->ghosted, KATA_X_HIGH, 1), r->outside + NY, NY);
    for (int side = 0; side < 2; side++)
        kata_boundary_set(p->face, (kata_side)side, KATA_NONE, 0); /* shows what was hidden */
    kata_get(p->face, kata_box_2d(p->g, 0, NX + 1, 3, 4), r->hidden, NX + 1);
    kata_get(p->parts, row, r->beside, NX);
    kata_scalar_get(p->sum, &r->sum);
    kata_scalar_get_all(p->bins, r->bins, 3);
    r->logged = kata_scalar_log_count(p->sum);
    kata_scalar_log_get(p->sum, r->log, r->logged);
    r->time = p->time;
    r->count = p->kept.count;
    memcpy(r->letters, p->kept.letters, sizeof r->letters);
    assert_string_equal(p->errors.error, "");
}

static void close_program(program *p, int status) { assert_int_equal(kata_close(p->k), status); }

static void run_to(const way *w, result *r)
{
    program p;
    run(&p, w);
    take(&p, r);
    close_program(&p, KATA_OK);
}

/* Runs a program until it stops. */
static void run_part(const way *w)
{
    program p;
    run(&p, w);
    assert_string_equal(p.errors.error, "");
    close_program(&p, KATA_OK);
}

/* ---- going on -------------------------------------------------------------------------------- */

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") || system(command);
}

static void going_on_changes_no_bit(void **state)
{
    (void)state;
    static const char *const executors[] = {"cpu", "reference"};
    result whole, parts;
    run_to(&(way){.every = 0}, &whole);
    for (int64_t stop = 1; stop < STEPS; stop++) {
        const char *executor = executors[stop % 2];
        unlink("run.h5");
        run_part(&(way){.every = 1, .stop = stop, .executor = executor});
        run_to(&(way){.resumes = true, .threads = (int)stop % 3 + 1, .backwards = stop % 2},
               &parts);
        assert_memory_equal(&whole, &parts, sizeof whole);
    }
}

/* The step that is returned is that of the latest checkpoint; from there it goes on twice more. */
static void steps_are_counted_on(void **state)
{
    (void)state;
    result whole, parts;
    program p;
    run_to(&(way){.every = 0}, &whole);
    run_part(&(way){.every = 3, .stop = 5});
    run(&p, &(way){.every = 4, .stop = 9, .resumes = true});
    assert_int_equal(p.first, 3);
    close_program(&p, KATA_OK);
    run(&p, &(way){.resumes = true});
    assert_int_equal(p.first, 8);
    take(&p, &parts);
    close_program(&p, KATA_OK);
    assert_memory_equal(&whole, &parts, sizeof whole);
}

/* What a checkpoint finds discarded, or written in part, cannot be read after it either. */
static void discarded_fields_stay_so(void **state)
{
    (void)state;
    program p;
    double values[POINTS];
    run_part(&(way){.every = 1, .stop = 3}); /* "old" is discarded, "parts" has no ghosts */
    open_program(&p, &(way){.resumes = true});
    assert_int_equal(p.first, 3);
    kata_get(p.parts, kata_all(p.g), values, POINTS);
    assert_string_equal(p.errors.error, "");
    kata_get(p.parts, kata_box_2d(p.g, 0, NX, -1, 0), values, NX);
    assert_non_null(strstr(p.errors.error, "parts"));
    kata_error_clear(p.k);
    *p.errors.error = '\0';
    kata_get(p.old, kata_all(p.g), values, POINTS);
    assert_non_null(strstr(p.errors.error, "old"));
    close_program(&p, KATA_ERROR_ARGUMENT);
}

/* A loop that ends when a sum is small enough; it stops after some step, or goes on to its end.
 * Returns the steps that were made in all. */
static int64_t run_until(int64_t stop, bool resumes, double *value)
{
    static const char text[] = "kernel set(out double u) { u = 1; }\n"
                               "kernel fall(inout double u, sum double s) { u = 0.9*u; s += u; }\n";
    kata *k = kata_open(&(kata_options){.no_warnings = true});
    kata_grid *g = kata_grid_1d(k, 7);
    kata_module *m = kata_module_from_text(k, "fall", text);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    kata_apply(kata_kernel_find(m, "set"), kata_all(g), u);
    kata_checkpoint(k, "run.h5", .steps = 1);
    kata_until until = kata_until_below(s, 2, .most = 30, .every = 4);
    if (resumes) until.steps = kata_resume(k);
    while (kata_until_next(&until)) {
        kata_apply(kata_kernel_find(m, "fall"), kata_all(g), u, s);
        kata_step(k);
        if (until.steps + 1 == stop) break;
    }
    kata_get(u, kata_box_1d(g, 3, 4), value, 1);
    assert_int_equal(kata_close(k), KATA_OK);
    return until.steps;
}

static void loops_end_where_they_would_have(void **state)
{
    (void)state;
    double whole, value;
    const int64_t steps = run_until(0, false, &whole);
    assert_int_equal(steps, 12);
    for (int64_t stop = 1; stop <= steps; stop++) {
        run_until(stop, false, &value);
        assert_int_equal(run_until(0, true, &value), steps);
        assert_true(value == whole);
    }
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static void nothing_is_there(void **state)
{
    (void)state;
    program p;
    run(&p, &(way){.resumes = true, .stop = 1});
    assert_int_equal(p.first, 0);
    assert_non_null(strstr(p.errors.warning, "there is no checkpoint run.h5"));
    close_program(&p, KATA_OK);
}

static off_t size_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void damage(const char *path, off_t at)
{
    char byte = 0;
    int file = open(path, O_RDWR);
    assert_true(file >= 0 && pread(file, &byte, 1, at) == 1);
    byte = (char)~byte;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
}

/* Whatever is damaged, the program goes on from the one before, or finds nothing wrong. */
static void damage_leads_to_the_one_before(void **state)
{
    (void)state;
    result whole, parts;
    int told = 0;
    run_to(&(way){.every = 0}, &whole);
    run_part(&(way){.every = 3, .stop = 7});
    assert_int_equal(rename("run.h5", "good.h5"), 0);
    const off_t size = size_of("good.h5");
    for (int i = 0; i < 40; i++) {
        program p;
        char command[] = "cp good.h5 run.h5";
        assert_int_equal(system(command), 0);
        if (i % 4)
            damage("run.h5", size * i / 40);
        else
            assert_int_equal(truncate("run.h5", size * i / 40), 0);
        run(&p, &(way){.resumes = true});
        assert_true(p.first == 3 || p.first == 6);
        assert_true((p.first == 3) == (strstr(p.errors.warning, "cannot be used") != NULL));
        told += p.first == 3;
        take(&p, &parts);
        close_program(&p, KATA_OK);
        assert_memory_equal(&whole, &parts, sizeof whole);
    }
    assert_in_range(told, 25, 40);
}

static void both_are_damaged(void **state)
{
    (void)state;
    program p;
    run_part(&(way){.every = 3, .stop = 7});
    assert_int_equal(truncate("run.h5", 100), 0);
    assert_int_equal(truncate("run.h5.before", 1000), 0);
    open_program(&p, &(way){.resumes = true});
    assert_non_null(strstr(p.errors.error, "kata_resume: neither run.h5 nor "));
    assert_non_null(strstr(p.errors.error, "can be used: cannot read run.h5: "));
    close_program(&p, KATA_ERROR_FILE);
    unlink("run.h5.before");
    open_program(&p, &(way){.resumes = true});
    assert_non_null(strstr(p.errors.error, "run.h5.before is not there"));
    close_program(&p, KATA_ERROR_FILE);
}

/* After the latest was damaged, the one before stays until there is a new one. */
static void a_damaged_one_replaces_no_good_one(void **state)
{
    (void)state;
    program p;
    run_part(&(way){.every = 3, .stop = 7});
    assert_int_equal(truncate("run.h5", 100), 0);
    run(&p, &(way){.every = 3, .resumes = true, .stop = 7});
    assert_int_equal(p.first, 3);
    close_program(&p, KATA_OK);
    assert_int_equal(rename("run.h5.before", "run.h5"), 0);
    run(&p, &(way){.resumes = true, .stop = 7});
    assert_int_equal(p.first, 3);
    close_program(&p, KATA_OK);
}

/* Two contexts wait for one signal. */
static void contexts_share_a_signal(void **state)
{
    (void)state;
    kata *k[2];
    for (int i = 0; i < 2; i++) {
        k[i] = kata_open(NULL);
        kata_field_new(kata_grid_1d(k[i], 4), "u", KATA_F64);
        kata_checkpoint(k[i], i ? "b.h5" : "a.h5", .signal = SIGUSR1);
    }
    kata_close(k[0]);
    raise(SIGUSR1);
    kata_step(k[1]);
    assert_int_equal(access("b.h5", F_OK), 0);
    assert_int_equal(kata_close(k[1]), KATA_OK);
}

/* A context that waits for another signal than the one that came writes nothing. */
static void contexts_wait_for_signals_of_their_own(void **state)
{
    (void)state;
    kata *k[2];
    for (int i = 0; i < 2; i++) {
        k[i] = kata_open(NULL);
        kata_field_new(kata_grid_1d(k[i], 4), "u", KATA_F64);
        kata_checkpoint(k[i], i ? "b.h5" : "a.h5", .signal = i ? SIGUSR2 : SIGUSR1);
    }
    raise(SIGUSR2);
    for (int i = 0; i < 2; i++) {
        kata_step(k[i]);
        assert_int_equal(access(i ? "b.h5" : "a.h5", F_OK), i - 1);
        assert_int_equal(kata_close(k[i]), KATA_OK);
    }
}

/* Only the one before is left, as by an end between two renames. */
static void the_latest_is_gone(void **state)
{
    (void)state;
    result whole, parts;
    run_to(&(way){.every = 0}, &whole);
    run_part(&(way){.every = 3, .stop = 7});
    unlink("run.h5");
    run_to(&(way){.resumes = true}, &parts);
    assert_memory_equal(&whole, &parts, sizeof whole);
}

static void other_programs_are_refused(void **state)
{
    (void)state;
    static const struct {
        way way;
        const char *message;
    } others[] = {{{.resumes = true, .other = KATA_F32}, "field 'half' has another type"},
                  {{.resumes = true, .more = 1}, "field 'coarse' is not in it"},
                  {{.resumes = true, .more = 2}, "variable 'first' is not in it"},
                  {{.resumes = true, .more = 3}, "field 'old' is in it, and not here"},
                  {{.resumes = true, .more = 4}, "field 'ghosted' has other points"}};
    run_part(&(way){.every = 3, .stop = 3});
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        program p;
        open_program(&p, &others[i].way);
        assert_int_equal(p.first, 0);
        assert_non_null(strstr(p.errors.error, others[i].message));
        close_program(&p, KATA_ERROR_FILE);
    }
}

static void expect(errors *e, kata *k, const char *message);

/* One step of a program that requires something; returns what it says. */
static void require_and_step(errors *e, const char *name, const char *value)
{
    kata *k = kata_open(&(kata_options){.handler = keep_message, .handler_data = e});
    *e->error = '\0';
    kata_checkpoint(k, "run.h5", .steps = 1);
    if (name) kata_require(k, name, value);
    kata_resume(k);
    kata_step(k);
    kata_close(k);
}

static void other_requirements_are_refused(void **state)
{
    (void)state;
    errors e = {.error = ""};
    require_and_step(&e, "scheme", "upwind");
    require_and_step(&e, "scheme", "upwind");
    assert_string_equal(e.error, "");
    require_and_step(&e, "scheme", "upwin");
    assert_string_equal(
        e.error, "error: run.h5 is a checkpoint of a run with scheme = 'upwind', not 'upwin'");
    require_and_step(&e, "schemes", "upwind");
    assert_string_equal(e.error, "error: run.h5 is a checkpoint of another program: requirement "
                                 "'schemes' is not in it");
    require_and_step(&e, NULL, NULL);
    assert_string_equal(e.error, "error: run.h5 is a checkpoint of another program: requirement "
                                 "'scheme' is in it, and not here");
}

static void expect(errors *e, kata *k, const char *message)
{
    assert_string_equal(e->error, message);
    *e->error = '\0';
    kata_error_clear(k);
}

static void calls_are_checked(void **state)
{
    (void)state;
    errors e = {.error = ""};
    kata *k = kata_open(&(kata_options){.handler = keep_message, .handler_data = &e});
    kata_grid *g = kata_grid_1d(k, 4);
    int x = 0;
    assert_int_equal(kata_resume(k), 0);
    expect(&e, k, "error: kata_resume: call kata_checkpoint before, which names the file");
    kata_checkpoint(k, NULL);
    expect(&e, k, "error: kata_checkpoint: the path is NULL");
    kata_checkpoint(k, "nowhere/c.h5");
    expect(&e, k, "error: kata_checkpoint: cannot write nowhere/c.h5: No such file or directory");
    kata_checkpoint(k, "c.h5", .signal = SIGKILL);
    expect(&e, k, "error: kata_checkpoint: signal 9 cannot be caught");
    kata_checkpoint(k, "c.h5", .steps = -1);
    expect(&e, k, "error: kata_checkpoint: steps is -1, less than 0");
    kata_checkpoint(k, "c.h5", .minutes = -0.5);
    expect(&e, k, "error: kata_checkpoint: minutes is -0.5, not a number from 0 on");
    kata_keep(k, "x", NULL, 4);
    expect(&e, k, "error: kata_keep: 'x' is NULL");
    kata_keep(k, "x", &x, 0);
    expect(&e, k, "error: kata_keep: 'x' has no bytes");
    kata_keep(k, "x", &x, (size_t)1 << 30);
    expect(&e, k, "error: kata_keep: 'x' has 1073741824 bytes; variables have less than 1 GiB");
    kata_keep(k, "x", &x, sizeof x);
    kata_keep(k, "x", &x, sizeof x);
    expect(&e, k, "error: kata_keep: two variables are called 'x'");
    kata_require(k, "y", "1");
    kata_require(k, "y", "2");
    expect(&e, k, "error: kata_require: 'y' is required already");
    kata_require(k, "z", NULL);
    expect(&e, k, "error: kata_require: the value of 'z' is NULL");
    kata_checkpoint(k, "c.h5", .steps = 1);
    kata_checkpoint(k, "d.h5", .steps = 1);
    expect(&e, k, "error: kata_checkpoint: the context has checkpoints already, in c.h5");
    kata_field_new(g, "u", KATA_F64);
    kata_step(k);
    assert_string_equal(e.error, "");
    kata_field_new(g, "u", KATA_F64);
    kata_step(k);
    expect(&e, k, "error: two fields are called 'u'; in a checkpoint each has a name of its own");
    kata_close(k);
    assert_int_equal(kata_resume(NULL), 0);
    assert_int_equal(kata_keep(NULL, "x", &x, 4), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_checkpoint(NULL, "c.h5"), KATA_ERROR_ARGUMENT);
}

/* A disk that is full: the file before stays, and so does the one before that. */
static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    program p;
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY}, little = {3000, RLIM_INFINITY};
    run(&p, &(way){.every = 3, .stop = 7});
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    for (int64_t i = 7; i < 9; i++) step(&p, i);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_non_null(strstr(p.errors.error, "cannot write run.h5: File too large"));
    close_program(&p, KATA_ERROR_FILE);
    assert_int_not_equal(access("run.h5.new", F_OK), 0);
    run(&p, &(way){.resumes = true, .stop = 7});
    assert_int_equal(p.first, 6);
    close_program(&p, KATA_OK);
}

/* ---- signals and time ------------------------------------------------------------------------ */

static void a_signal_asks_for_one(void **state)
{
    (void)state;
    struct sigaction before, after;
    errors e = {.error = ""};
    sigaction(SIGUSR1, NULL, &before);
    kata *k = kata_open(&(kata_options){.handler = keep_message, .handler_data = &e});
    kata_field_new(kata_grid_1d(k, 4), "u", KATA_F64);
    kata_checkpoint(k, "signal.h5", .signal = SIGUSR1);
    kata_step(k);
    assert_int_not_equal(access("signal.h5", F_OK), 0);
    raise(SIGUSR1);
    assert_int_not_equal(access("signal.h5", F_OK), 0);
    kata_step(k);
    assert_int_equal(access("signal.h5", F_OK), 0);
    unlink("signal.h5");
    kata_step(k);
    assert_int_not_equal(access("signal.h5", F_OK), 0);
    assert_int_equal(kata_close(k), KATA_OK);
    sigaction(SIGUSR1, NULL, &after);
    assert_true(before.sa_handler == after.sa_handler);
}

static void time_asks_for_one(void **state)
{
    (void)state;
    kata *k = kata_open(NULL);
    kata_field_new(kata_grid_1d(k, 4), "u", KATA_F64);
    kata_checkpoint(k, "time.h5", .minutes = 0.001); /* 60 ms */
    kata_step(k);
    usleep(80000);
    kata_step(k);
    assert_int_equal(access("time.h5", F_OK), 0);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* A step that ended before kata_resume does not count, whether there was a checkpoint or not. */
static void steps_count_from_what_resume_returns(void **state)
{
    (void)state;
    for (int64_t round = 0; round < 3; round++) {
        kata *k = kata_open(NULL);
        kata_field_new(kata_grid_1d(k, 4), "u", KATA_F64);
        kata_checkpoint(k, "run.h5", .steps = 2);
        kata_step(k);
        assert_int_equal(kata_resume(k), 2 * round);
        kata_step(k);
        if (!round) assert_int_equal(access("run.h5", F_OK), -1);
        kata_step(k); /* the second, which writes one */
        assert_int_equal(access("run.h5", F_OK), 0);
        assert_int_equal(kata_close(k), KATA_OK);
    }
}

/* What a series has written stays when the program goes on. */
static void a_series_goes_on_in_another_file(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        kata *k = kata_open(NULL);
        kata_field *u = kata_field_new(kata_grid_2d(k, 4, 4), "u", KATA_F64);
        kata_series *s = kata_series_new(u, "flow.vtkhdf");
        kata_checkpoint(k, "run.h5", .steps = 2);
        for (int64_t i = round ? kata_resume(k) : 0; i < (round ? 6 : 3); i++) {
            kata_series_add(s, (double)i);
            kata_step(k);
        }
        assert_int_equal(kata_close(k), KATA_OK);
        assert_int_equal(access("flow.vtkhdf", F_OK), 0);
        assert_int_equal(access("flow-from-2.vtkhdf", F_OK), round ? 0 : -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
        IN_FOLDER(going_on_changes_no_bit),
        IN_FOLDER(steps_are_counted_on),
        IN_FOLDER(discarded_fields_stay_so),
        IN_FOLDER(loops_end_where_they_would_have),
        IN_FOLDER(nothing_is_there),
        IN_FOLDER(damage_leads_to_the_one_before),
        IN_FOLDER(both_are_damaged),
        IN_FOLDER(a_damaged_one_replaces_no_good_one),
        IN_FOLDER(contexts_share_a_signal),
        IN_FOLDER(contexts_wait_for_signals_of_their_own),
        IN_FOLDER(the_latest_is_gone),
        IN_FOLDER(other_programs_are_refused),
        IN_FOLDER(calls_are_checked),
        IN_FOLDER(other_requirements_are_refused),
        IN_FOLDER(a_full_disk_loses_nothing),
        IN_FOLDER(a_signal_asks_for_one),
        IN_FOLDER(time_asks_for_one),
        IN_FOLDER(steps_count_from_what_resume_returns),
        IN_FOLDER(a_series_goes_on_in_another_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
