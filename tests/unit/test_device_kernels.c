/* Random kernels on a device give the reference executor's bits: those of random programs, in the
 * usual way, each loop at once in halves, and with little memory. All kernels of a batch are
 * compiled as one program of the device, which takes half the time; threads have one shape in each
 * batch. The device is PoCL's. */
/* Labels: slow */
#include "../random/random.h"
#include "device_kernels_together.h"
#include "device_kinds.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 32, FEW = 3, MANY = 20000 };

static const setting reference = {.name = "reference", .executor = "reference", .threads = 1};
static const setting on_device[] = {
    {.name = "device", .executor = "cpu", .threads = 1, .device = 1},
    {.name = "device, each loop at once, ranges cut in two",
     .executor = "cpu",
     .threads = 1,
     .eager = true,
     .split = true,
     .at_home = true,
     .device = 1},
    {.name = "device of 400 kB", .executor = "cpu", .threads = 1, .device = 400000},
};

/* Most batches have the shape that is compiled soonest. */
static const char *const shapes[] = {"vector=1 chunk=1", "vector=1 chunk=1 x=8 y=4 z=2",
                                     "vector=2 chunk=1", "vector=1 chunk=1 x=64",
                                     "vector=1 chunk=3", "vector=1 chunk=1 y=16"};

typedef struct tally {
    int64_t programs, kernels, failed;
} tally;

/* Where one is refused among others, that is found out in smaller batches. */
static void judge_some(program *const *programs, int count, const trial *trial, tally *t)
{
    court court;
    judgement found[BATCH];
    const struct trial loud = {trial->settings, trial->count, stdout};
    assert_true(judge_start(&court, programs, count, trial));
    judge_finish(&court, found);
    if (count > 1 && (found[0].verdict == REFUSED || found[0].verdict == CRASHED)) {
        judge_some(programs, count / 2, trial, t);
        judge_some(programs + count / 2, count - count / 2, trial, t);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (found[i].verdict == PASSED) continue;
        judge_alone(programs[i], &loud);
        print_message("program %llu, '%s': verdict %d, status %d, setting %d\n",
                      (unsigned long long)programs[i]->seed, getenv("KATA_DEVICE_SHAPE"),
                      found[i].verdict, found[i].status, found[i].setting);
        t->failed++;
    }
}

/* Each runs in the usual way, and in another one. */
static void run_batch(uint64_t number, int count, tally *t)
{
    const setting settings[] = {reference, on_device[0], on_device[1 + number % 2]};
    const trial trial = {settings, COUNT_OF(settings), NULL};
    program *programs[BATCH];
    for (int i = 0; i < count; i++) programs[i] = program_generate(number * BATCH + (uint64_t)i);
    setenv("KATA_DEVICE_SHAPE", shapes[number % COUNT_OF(shapes)], 1);
    judge_some(programs, count, &trial, t);
    for (int i = 0; i < count; i++) {
        t->kernels += programs[i]->kernel_count;
        program_free(programs[i]);
    }
    t->programs += count;
}

/* KATA_TEST_FULL=1 for 20,000 kernels; KATA_TEST_KERNELS for another number, KATA_TEST_SEED for
 * another number of the first batch. */
static void random_kernels_give_the_same(void **state)
{
    (void)state;
    const char *kernels = getenv("KATA_TEST_KERNELS"), *first = getenv("KATA_TEST_SEED");
    const char *full = getenv("KATA_TEST_FULL");
    const bool all = full && full[0] == '1';
    const long count = kernels ? strtol(kernels, NULL, 10) : all ? MANY : FEW;
    const uint64_t start = first ? strtoull(first, NULL, 10) : 1;
    tally t = {0};
    for (uint64_t i = start; *device_kernels_made < count; i++)
        run_batch(i, count < BATCH ? (int)count : BATCH, &t);
    print_message("%ld kernels on the device, of %lld of %lld programs\n", *device_kernels_made,
                  (long long)t.kernels, (long long)t.programs);
    assert_int_equal(t.failed, 0);
}

/* Asks in another process: processes that come later cannot use a driver that this one has loaded.
 */
static bool is_there(void)
{
    int status = 1;
    const int child = fork();
    if (child == 0) _exit(!device_is_there("opencl"));
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels_give_the_same)};
    device_kernels_made =
        mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (device_kernels_made == MAP_FAILED) return 1;
    if (!is_there()) return 77;
    setenv("KATA_TEST_DEVICE", "opencl", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1); /* nothing of PoCL's own stays on the disk */
    run_when_warm = device_kernels_compile;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
