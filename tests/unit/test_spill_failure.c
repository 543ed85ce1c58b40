/* Fields in files on a disk that fails: an error names the field and the folder, the chain's values
 * are NaN, what was saved before is there, and the context goes on. */
/* Labels: slow */
#include "files_world.h"

#include <errno.h>
#include <sys/resource.h>

/* ---- a disk that fails ----------------------------------------------------------------------- */

typedef enum fault { NONE, READ, WRITE, FULL, FLIP } fault;

/* What happens to a large read or write, after so many that are good. */
static _Atomic int fault_kind, fault_after;

enum { LARGE = 1 << 12 }; /* bytes: of planes */

static bool fails(fault kind, size_t bytes)
{
    return fault_kind == (int)kind && bytes >= LARGE && --fault_after == 0;
}

ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at);

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at)
{
    errno = EIO;
    if (fails(READ, bytes)) return -1;
    ssize_t done = __real_pread(fd, to, bytes, at);
    if (done > 0 && fails(FLIP, bytes)) ((unsigned char *)to)[done / 2] ^= 4;
    return done;
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    errno = EIO;
    if (fails(WRITE, bytes)) return -1;
    errno = ENOSPC;
    if (fails(FULL, bytes)) return -1;
    return __real_pwrite(fd, from, bytes, at);
}

/* ---- a program ------------------------------------------------------------------------------- */

enum { NX = 512, NY = 256, MEMORY = 300000, STEPS = 70 };

static const char text[] = "kernel begin(out double u) { u = random(7); }\n"
                           "kernel heat(in double u, out double v)\n"
                           "{ v = u + 0.1*(u[0,-1] + u[0,1] + u[-1,0] + u[1,0] - 4*u); }\n";

typedef struct program {
    world w;
    kata_grid *g;
    kata_kernel *begin, *heat;
    kata_field *u, *v;
} program;

static void open_program(program *p, int64_t memory)
{
    *p = (program){.w = {.k = NULL}};
    p->w.k = kata_open(&(kata_options){
        .memory = memory, .spill = "/var/tmp", .handler = keep_message, .handler_data = &p->w});
    assert_non_null(p->w.k);
    kata_module *m = kata_module_from_text(p->w.k, "heat.kata", text);
    p->g = kata_grid_2d(p->w.k, NX, NY);
    p->begin = kata_kernel_find(m, "begin");
    p->heat = kata_kernel_find(m, "heat");
    p->u = kata_field_new(p->g, "warm", KATA_F64, .boundary = KATA_CLAMP);
    p->v = kata_field_like(p->u, "cold");
}

/* Its first loop reads nothing. */
static kata_status compute(program *p)
{
    kata_apply(p->begin, kata_all(p->g), p->u);
    for (int i = 0; i < STEPS; i++)
        kata_apply(p->heat, kata_all(p->g), i % 2 ? p->v : p->u, i % 2 ? p->u : p->v);
    return kata_flush(p->w.k);
}

static double *values_of(program *p)
{
    double *values = calloc((size_t)NX * NY, sizeof *values);
    assert_non_null(values);
    kata_get(p->u, kata_all(p->g), values, (int64_t)NX * NY);
    return values;
}

static double *expected(void)
{
    program p;
    open_program(&p, 0);
    assert_int_equal(compute(&p), KATA_OK);
    double *values = values_of(&p);
    close_world(&p.w);
    return values;
}

/* ---- tests ----------------------------------------------------------------------------------- */

typedef struct kind {
    fault kind;
    const char *says[2];
} kind;

static const kind kinds[] = {
    {READ, {"cannot be read from the disk: ", "in the folder '/var/tmp': Input/output error"}},
    {WRITE, {"cannot be written to the disk: ", "in the folder '/var/tmp': Input/output error"}},
    {FULL, {"cannot be written to the disk: ", "the folder '/var/tmp': No space left on device"}},
    {FLIP, {"is damaged on the disk: ", "in the folder '/var/tmp' are not what was written there"}},
};

static void check_message(const program *p, const kind *of)
{
    const char *said = p->w.message;
    bool named = strstr(said, "error: field 'warm' ") || strstr(said, "error: field 'cold' ");
    if (!named) fail_msg("no field is named: %s", said);
    for (int i = 0; i < 2; i++)
        if (!strstr(said, of->says[i])) fail_msg("'%s' is not said: %s", of->says[i], said);
}

static void a_failing_disk_is_an_error_that_names_the_field(void **state)
{
    (void)state;
    double *good = expected();
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        for (int after = 1; after < 40; after += 20) {
            program p;
            open_program(&p, MEMORY);
            assert_int_equal(compute(&p), KATA_OK);
            double *saved = values_of(&p);
            assert_int_equal(kata_save(p.u, "saved.npy"), KATA_OK);
            fault_after = after;
            fault_kind = (int)kinds[i].kind;
            for (int again = 0; again < 4 && !kata_error_message(p.w.k)[0]; again++) compute(&p);
            fault_kind = NONE;
            check_message(&p, &kinds[i]);
            assert_memory_equal(saved, good, (size_t)NX * NY * sizeof *good);
            free(saved);
            kata_close(p.w.k);
            open_program(&p, 0);
            assert_int_equal(kata_load(p.u, "saved.npy"), KATA_OK);
            saved = values_of(&p);
            assert_memory_equal(saved, good, (size_t)NX * NY * sizeof *good);
            free(saved);
            close_world(&p.w);
            unlink("saved.npy");
        }
    free(good);
}

/* A disk that has no room is found when a field is first used. */
static void a_full_disk_is_an_error_that_names_the_field(void **state)
{
    (void)state;
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = before;
    few.rlim_cur = 700000;
    program p;
    open_program(&p, MEMORY);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    kata_status status = compute(&p);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, KATA_ERROR_FILE);
    assert_non_null(strstr(p.w.message, "error: field 'warm' needs 1.0 MB on the disk of the "
                                        "folder '/var/tmp': File too large"));
    kata_close(p.w.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_disk_is_an_error_that_names_the_field),
        cmocka_unit_test(a_full_disk_is_an_error_that_names_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
