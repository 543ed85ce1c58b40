/* Ports: what is moved to a file is read back, by a port and in mapped memory; rings show what is
 * written to them twice; what cannot be had is said. */
#include "port/spill_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES = 5 << 20, PLANE = BYTES / 5 }; /* several pieces */

static port_file *new_file(size_t bytes)
{
    text why = {0};
    port_file *file = port_file_new("/var/tmp", bytes, PLANE, &why);
    assert_non_null(file);
    text_free(&why);
    return file;
}

/* Memory that a port can move, with other bytes for each seed. */
static unsigned char *new_bytes(unsigned seed)
{
    unsigned char *bytes = aligned_alloc(PORT_ALIGN, BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 7 + i / 4096 + seed);
    return bytes;
}

static void what_goes_out_comes_in(void **state)
{
    (void)state;
    port_file *file = new_file(2 * (size_t)BYTES);
    port *p = port_open(0);
    unsigned char *first = new_bytes(1), *second = new_bytes(2), *back = new_bytes(3);
    assert_non_null(p);
    assert_true(port_start(p, true, file, BYTES, first, BYTES));
    assert_true(port_start(p, true, file, 0, second, BYTES));
    assert_true(port_wait(p, true));
    assert_true(port_start(p, false, file, BYTES, back, BYTES));
    assert_true(port_wait(p, false));
    assert_memory_equal(back, first, BYTES);
    assert_memory_equal(port_file_memory(file), second, BYTES);
    assert_int_equal(port_moved(p, true), 2 * (size_t)BYTES);
    assert_int_equal(port_moved(p, false), BYTES);
    port_close(p);
    port_file_free(file);
    free(first);
    free(second);
    free(back);
}

static void mapped_memory_is_moved_after_it_is_settled(void **state)
{
    (void)state;
    port_file *file = new_file(BYTES);
    port *p = port_open(0);
    unsigned char *bytes = new_bytes(4), *back = new_bytes(5);
    assert_non_null(p);
    memcpy(port_file_memory(file), bytes, BYTES);
    assert_true(port_file_settle(file));
    assert_true(port_start(p, false, file, 0, back, BYTES));
    assert_true(port_wait(p, false));
    assert_memory_equal(back, bytes, BYTES);
    port_close(p);
    port_file_free(file);
    free(bytes);
    free(back);
}

static void moves_behind_the_end_fail_once(void **state)
{
    (void)state;
    port_file *file = new_file(PORT_ALIGN);
    port *p = port_open(0);
    unsigned char *back = new_bytes(6);
    assert_non_null(p);
    assert_true(port_start(p, false, file, PORT_ALIGN, back, PORT_ALIGN));
    assert_false(port_wait(p, false));
    port_failure failure;
    assert_true(port_failed(p, &failure));
    assert_ptr_equal(failure.file, file);
    assert_int_equal(failure.place, PORT_ALIGN);
    assert_false(failure.out);
    assert_false(port_failed(p, &failure));
    assert_true(port_start(p, false, file, 0, back, PORT_ALIGN));
    assert_true(port_wait(p, false));
    port_close(p);
    port_file_free(file);
    free(back);
}

static void files_that_cannot_be_had_say_why(void **state)
{
    (void)state;
    text why = {0};
    assert_null(port_file_new("/nowhere", PORT_ALIGN, PORT_ALIGN, &why));
    assert_string_equal(text_get(&why), "No such file or directory");
    text_clear(&why);
    assert_null(port_file_new("/var/tmp", (size_t)1 << 60, (size_t)1 << 40, &why));
    assert_true(why.length > 0); /* no disk is that large */
    text_free(&why);
}

/* Beyond the limit of the size of files the system would send a signal. */
static void files_above_the_limit_of_their_size_say_why(void **state)
{
    (void)state;
    text why = {0};
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = before;
    few.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    port_file *file = port_file_new("/var/tmp", BYTES, PLANE, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_null(file);
    assert_string_equal(text_get(&why), "File too large");
    text_free(&why);
}

/* ---- checksums ------------------------------------------------------------------------------- */

typedef struct disk {
    port *p;
    port_file *file;
    unsigned char *bytes;
} disk;

/* A file that moves have written. */
static disk new_disk(size_t plane)
{
    text why = {0};
    disk d = {port_open(0), port_file_new("/var/tmp", BYTES, plane, &why), new_bytes(7)};
    assert_true(d.p && d.file);
    assert_true(port_file_settle(d.file));
    assert_true(port_start(d.p, true, d.file, 0, d.bytes, BYTES));
    assert_true(port_wait(d.p, true));
    port_file_moved(d.file);
    text_free(&why);
    return d;
}

static void free_disk(disk *d)
{
    port_close(d->p);
    port_file_free(d->file);
    free(d->bytes);
}

/* Turns a bit on the disk: not through the file that the program has, whose time stays. */
static void flip_bit(const disk *d, size_t place)
{
    struct stat before;
    unsigned char byte;
    assert_int_equal(fstat(d->file->fd, &before), 0);
    assert_int_equal(pread(d->file->fd, &byte, 1, (off_t)place), 1);
    byte ^= 16;
    assert_int_equal(pwrite(d->file->fd, &byte, 1, (off_t)place), 1);
    assert_int_equal(fsync(d->file->fd), 0);
    const struct timespec times[] = {before.st_atim, before.st_mtim};
    assert_int_equal(futimens(d->file->fd, times), 0);
}

static bool read_back(disk *d, size_t place, size_t bytes)
{
    assert_true(port_start(d->p, false, d->file, place, d->bytes + place, bytes));
    return port_wait(d->p, false);
}

static void flipped_bits_are_found(void **state)
{
    (void)state;
    static const size_t planes[] = {PORT_ALIGN, 5 * PORT_ALIGN, PLANE, BYTES};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        const size_t plane = planes[i], end = BYTES / plane * plane;
        disk d = new_disk(plane);
        port_failure failure;
        assert_true(port_file_settle(d.file));
        assert_true(read_back(&d, 0, end));
        flip_bit(&d, end - 1);
        assert_true(!d.file->tells || port_file_settle(d.file)); /* or else nothing is known */
        assert_true(end == plane || read_back(&d, 0, end - plane));
        assert_false(read_back(&d, 0, end));
        assert_true(port_failed(d.p, &failure));
        assert_int_equal(failure.error, PORT_DAMAGED);
        assert_true(failure.place < end && failure.place + failure.bytes >= end);
        flip_bit(&d, end - 1);
        assert_true(read_back(&d, 0, end));
        free_disk(&d);
    }
}

static void what_is_written_through_memory_is_no_damage(void **state)
{
    (void)state;
    disk d = new_disk(PLANE);
    assert_true(port_file_settle(d.file));
    unsigned char *memory = port_file_memory(d.file);
    memory[PLANE + 5] ^= 1;
    assert_true(port_file_settle(d.file));
    assert_true(read_back(&d, 0, BYTES));
    port_file_moved(d.file);
    free_disk(&d);
}

/* Looks at one byte of every `step` bytes. */
static void check_ring(port_rings *rings, size_t least, size_t step)
{
    enum { TIMES = 2 };
    const size_t bytes = port_ring_bytes(least);
    assert_true(bytes >= least && bytes % PORT_ALIGN == 0);
    volatile unsigned char *ring = port_ring_new(rings, bytes, TIMES);
    assert_non_null(ring);
    for (size_t t = 0; t < TIMES; t++) {
        volatile unsigned char *own = ring + 2 * bytes * t;
        for (size_t i = 1; i < bytes; i += step) {
            own[i] = (unsigned char)(i + t);
            assert_int_equal(own[bytes + i], (unsigned char)(i + t));
            own[bytes + i] = (unsigned char)(i + t + 1);
            assert_int_equal(own[i], (unsigned char)(i + t + 1));
        }
    }
    assert_int_equal(ring[1], 2); /* the second one is another */
    port_ring_free(rings, (void *)(uintptr_t)ring, bytes, TIMES);
}

static void rings_lie_twice(void **state)
{
    (void)state;
    port_rings *rings = port_rings_open();
    assert_non_null(rings);
    check_ring(rings, 3 * PORT_ALIGN, 100);
    check_ring(rings, 3 * PORT_ALIGN - 1, 100);
    check_ring(rings, (20 << 20) + 1, 5000); /* of huge pages */
    check_ring(rings, 5 * PORT_ALIGN, 100);
    port_rings_close(rings);
}

/* Rings that are there at once have memory of their own, also where it is used again. */
static void rings_take_turns(void **state)
{
    (void)state;
    enum { SMALL = 3 * PORT_ALIGN, LARGE = 20 << 20 };
    port_rings *rings = port_rings_open();
    assert_non_null(rings);
    for (int round = 0; round < 3; round++) {
        char *a = port_ring_new(rings, SMALL, 1), *b = port_ring_new(rings, LARGE, 1);
        assert_true(a && b);
        memset(a, 1, SMALL);
        memset(b, 2, LARGE);
        port_ring_free(rings, a, SMALL, 1);
        char *c = port_ring_new(rings, LARGE, 2);
        assert_non_null(c);
        memset(c, 3, LARGE);
        memset(c + 2 * LARGE, 4, LARGE);
        for (size_t i = 0; i < LARGE; i += 100) {
            assert_int_equal(b[i], 2);
            assert_int_equal(c[i + LARGE], 3);
        }
        port_rings_keep(rings, 0); /* without effect: there are rings */
        assert_int_equal(c[0], 3);
        port_ring_free(rings, b, LARGE, 1);
        port_ring_free(rings, c, LARGE, 2);
        if (round == 1) port_rings_keep(rings, LARGE);
    }
    port_rings_close(rings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_out_comes_in),
        cmocka_unit_test(mapped_memory_is_moved_after_it_is_settled),
        cmocka_unit_test(moves_behind_the_end_fail_once),
        cmocka_unit_test(files_that_cannot_be_had_say_why),
        cmocka_unit_test(files_above_the_limit_of_their_size_say_why),
        cmocka_unit_test(flipped_bits_are_found),
        cmocka_unit_test(what_is_written_through_memory_is_no_damage),
        cmocka_unit_test(rings_lie_twice),
        cmocka_unit_test(rings_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
