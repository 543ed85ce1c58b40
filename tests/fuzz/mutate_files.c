/* mutate_files [COUNT [SEED [hdf5]]]: gives COUNT mutated files to the readers, a third of them
 * PNG, NPY and HDF5 each, or all HDF5; file number i depends on SEED + i alone. Without COUNT there
 * are 6,000, and a million with KATA_TEST_FULL=1. mutate_files --seeds writes the files that it
 * mutates to the present folder.
 *
 * PNG and NPY files are read in this process, which ends with the first that goes wrong. HDF5 files
 * are read in processes of their own, many by each: libhdf5 crashes on some and runs in circles on
 * others, which is why the library reads them so. What matters is whose code it is: a signal
 * handler looks at the innermost frame that is either ours or libhdf5's. A crash of libhdf5 is
 * counted, one of ours is an error, as is every report of a sanitizer about our code. */
/* Labels: hostile slow */
#include "file_seeds.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { LARGEST = 1 << 16, BATCH = 1000, MICROSECONDS = 300000, OF_HDF5 = 77, TOO_LONG = 78 };

static int looks; /* at a file whose time is over */

const char *__asan_default_options(void);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Sizes of strangers' files ask for more memory than there is; they get none. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024:handle_segv=0:handle_sigbus=0:"
           "handle_sigfpe=0:handle_abort=0:quarantine_size_mb=1:malloc_context_size=8";
}

/* ---- chance ---------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t draw(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static size_t below(size_t n) { return n ? (size_t)(draw() % n) : 0; }

/* ---- mutations ------------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t data[LARGEST];
    size_t size;
} bytes;

static void put_number(bytes *b)
{
    static const uint64_t numbers[] = {0,          1,          2,          0x7f,
                                       0x80,       0xff,       0x7fff,     0xffff,
                                       0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
                                       UINT64_MAX, 1u << 20,   1u << 30,   (uint64_t)1 << 40};
    size_t length = (size_t)1 << below(4), at = below(b->size);
    uint64_t number = below(4) ? numbers[below(COUNT_OF(numbers))] : draw();
    for (size_t i = 0; i < length && at + i < b->size; i++)
        b->data[at + i] = (uint8_t)(number >> 8 * i);
}

static void move_part(bytes *b)
{
    size_t from = below(b->size), to = below(b->size), length = below(64);
    length = length < b->size - from ? length : b->size - from;
    length = length < b->size - to ? length : b->size - to;
    memmove(b->data + to, b->data + from, length);
}

static void cut_part(bytes *b)
{
    size_t at = below(b->size), length = below(16);
    length = length < b->size - at ? length : b->size - at;
    memmove(b->data + at, b->data + at + length, b->size - at - length);
    b->size -= length;
}

static void put_letter(bytes *b)
{
    static const char letters[] = "0123456789<>|=fiub'\"(),{}: TrueFalse-";
    b->data[below(b->size)] = (uint8_t)letters[below(sizeof letters - 1)];
}

static void mutate_once(bytes *b)
{
    if (!b->size) return;
    switch (below(10)) {
    case 0: cut_part(b); break;
    case 1: move_part(b); break;
    case 2: put_letter(b); break;
    case 3: b->data[below(b->size)] = (uint8_t)draw(); break;
    case 4:
        if (!below(8)) b->size = below(b->size);
        break;
    case 5:
    case 6: b->data[below(b->size)] ^= (uint8_t)(1 << below(8)); break;
    default: put_number(b); break;
    }
}

static uint32_t crc_of(const uint8_t *data, size_t size)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* Makes the checksums of PNG chunks right, so that libpng looks at what is in them. */
static void mend_checksums(bytes *b)
{
    for (size_t at = 8; at + 12 <= b->size;) {
        const uint8_t *chunk = b->data + at;
        size_t length =
            (size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 | chunk[3];
        if (length > b->size - at - 12) return;
        uint32_t crc = crc_of(chunk + 4, length + 4);
        for (size_t i = 0; i < 4; i++)
            b->data[at + 8 + length + i] = (uint8_t)(crc >> (24 - 8 * i));
        at += length + 12;
    }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

typedef struct all_seeds {
    file_seed seed[MOST_SEEDS];
    int first[FILE_KINDS + 1]; /* of each kind: they come in the order of kinds */
} all_seeds;

static void sort_out(all_seeds *all, int count)
{
    for (int i = count; i-- > 0;)
        all->first[file_kind_of(all->seed[i].data, all->seed[i].size)] = i;
    all->first[FILE_KINDS] = count;
}

static void make_input(const all_seeds *all, file_kind kind, uint64_t number, bytes *b)
{
    state = number;
    int first = all->first[kind], count = all->first[kind + 1] - first;
    const file_seed *seed = &all->seed[first + (int)below((size_t)count)];
    b->size = seed->size < LARGEST ? seed->size : LARGEST;
    memcpy(b->data, seed->data, b->size);
    for (size_t times = 1 + below(6); times > 0; times--) mutate_once(b);
    if (kind == FILE_PNG && below(4)) mend_checksums(b);
}

/* Reads input `number` from memory of exactly its size; returns whether it gave values. */
static bool try_input(const all_seeds *all, file_kind kind, uint64_t number)
{
    static bytes b;
    make_input(all, kind, number, &b);
    uint8_t *exact = malloc(b.size ? b.size : 1);
    if (!exact) exit(2);
    memcpy(exact, b.data, b.size);
    bool read = file_bytes_read(exact, b.size) > 0;
    free(exact);
    return read;
}

/* ---- whose fault ----------------------------------------------------------------------------- */

/* What holds the code at an address: 'h' for libhdf5, 'o' for this program, '-' for others. */
static char owner_of(void *address)
{
    static Dl_info own;
    Dl_info info;
    if (!own.dli_fname) dladdr((void *)(uintptr_t)&make_input, &own);
    if (!dladdr(address, &info) || !info.dli_fname) return '-';
    return strstr(info.dli_fname, "libhdf5") ? 'h' : info.dli_fbase == own.dli_fbase ? 'o' : '-';
}

/* The innermost frames belong to backtrace itself (where a sanitizer replaces it), then to the
 * handler, which is ours, then to the system that called the handler. The next one tells. */
static bool fault_is_of_hdf5(void)
{
    void *frames[64];
    int count = backtrace(frames, 64), i = 0;
    while (i < count && owner_of(frames[i]) == '-') i++;
    while (i < count && owner_of(frames[i]) == 'o') i++;
    while (i < count && owner_of(frames[i]) == '-') i++;
    return i < count && owner_of(frames[i]) == 'h';
}

/* By the system call: sanitizers allocate in _exit, and a lock may be held. */
static void leave(int status) { syscall(SYS_exit_group, status); }

static void on_signal(int signal)
{
    if (fault_is_of_hdf5()) leave(OF_HDF5);
    static const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(signal, &usual, NULL);
    raise(signal);
}

static void on_report(void)
{
    if (fault_is_of_hdf5()) leave(OF_HDF5);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void start_clock(long microseconds) /* of the processor */
{
    const struct itimerval limit = {.it_value.tv_usec = microseconds};
    setitimer(ITIMER_PROF, &limit, NULL);
}

/* The address of the instruction that a signal has interrupted; NULL where it is not known. */
static void *interrupted_at(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP]; /* NOLINT */
#elif defined(__aarch64__)
    return (void *)(uintptr_t)context->uc_mcontext.pc; /* NOLINT */
#else
    (void)context;
    return NULL;
#endif
}

/* The time of a file is over. What was interrupted may hold a lock, so that nothing is done here
 * but to look at whose code it is. libhdf5 runs in circles where a look finds it; a hundred looks
 * that never do are for somebody else's circle. */
static void on_time(int signal, siginfo_t *info, void *context)
{
    enum { LOOKS = 100, PAUSE = 5000 };
    (void)signal;
    (void)info;
    if (owner_of(interrupted_at(context)) == 'h') leave(OF_HDF5);
    if (++looks == LOOKS) leave(fault_is_of_hdf5() ? OF_HDF5 : TOO_LONG);
    start_clock(PAUSE);
}

static void watch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[1 << 16];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL); /* libhdf5 may have used up the usual one */
    for (size_t i = 0; i < COUNT_OF(signals); i++) sigaction(signals[i], &action, NULL);
    const struct sigaction time = {.sa_sigaction = on_time,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigaction(SIGPROF, &time, NULL);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(on_report);
}

/* ---- HDF5 ------------------------------------------------------------------------------------ */

typedef struct progress {
    uint64_t next, read;
} progress;

/* libhdf5 takes a table of 512 KiB for each file that it opens, and a buffer of 1 MiB to convert
 * values. Mapping new memory for them would take half of the time; so it may keep the last ones. */
static void keep_memory(void)
{
    enum { ALL = 1 << 24, OF_A_KIND = 1 << 22 };
    H5set_free_list_limits(ALL, OF_A_KIND, ALL, OF_A_KIND, ALL, OF_A_KIND);
}

/* In a process of its own: goes on from progress->next to `end`. */
static void read_batch(const all_seeds *all, uint64_t end, progress *p)
{
    if (!getenv("FUZZ_SHOW") && !freopen("/dev/null", "w", stderr)) _exit(3);
    void *unused[1];
    backtrace(unused, 1); /* loads what it needs */
    keep_memory();
    watch();
    while (p->next < end) {
        looks = 0;
        start_clock(MICROSECONDS);
        uint64_t number = p->next++;
        p->read += try_input(all, FILE_HDF5, number);
    }
    _exit(0);
}

/* Returns how often libhdf5 failed; ends this program where anything else did. */
static int read_hdf5s(const all_seeds *all, uint64_t first, uint64_t end, progress *p)
{
    int crashes = 0;
    p->next = first;
    while (p->next < end) {
        uint64_t batch = p->next + BATCH < end ? p->next + BATCH : end;
        int status;
        pid_t child = fork();
        if (child == 0) read_batch(all, batch, p);
        if (child < 0 || waitpid(child, &status, 0) != child) exit(2);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == OF_HDF5) {
            crashes++;
            continue;
        }
        fprintf(stderr, "HDF5 file %llu: the reader failed (status %x)\n",
                (unsigned long long)p->next - 1, (unsigned)status);
        exit(1);
    }
    return crashes;
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char *present_kind;
static uint64_t present_number;

static void tell(void)
{
    fprintf(stderr, "%s file %llu: the reader failed\n", present_kind,
            (unsigned long long)present_number);
}

static void on_abort(int signal)
{
    (void)signal;
    tell();
}

static void read_plain(const all_seeds *all, file_kind kind, const char *name, uint64_t first,
                       uint64_t end)
{
    uint64_t read = 0;
    present_kind = name;
    signal(SIGABRT, on_abort);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(tell);
    for (uint64_t i = first; i < end; i++) {
        present_number = i;
        read += try_input(all, kind, i);
    }
    printf("%s: %llu files, %llu read, the others refused\n", name,
           (unsigned long long)(end - first), (unsigned long long)read);
    fflush(stdout);
}

static int mutate(int64_t count, int64_t seed, bool only_hdf5)
{
    static all_seeds all;
    char folder[] = "/tmp/kata_fuzz_XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 2;
    int seeds = file_seeds_make(all.seed, false);
    if (chdir("/") || rmdir(folder)) return 2;
    sort_out(&all, seeds);
    uint64_t first = (uint64_t)seed, third = (uint64_t)(only_hdf5 ? count : (count + 2) / 3);
    progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return 2;
    if (!only_hdf5) read_plain(&all, FILE_PNG, "PNG", first, first + third);
    if (!only_hdf5) read_plain(&all, FILE_NPY, "NPY", first, first + third);
    int crashes = read_hdf5s(&all, first, first + third, p);
    printf("HDF5: %llu files, %llu read; libhdf5 itself failed on %d\n", (unsigned long long)third,
           (unsigned long long)p->read, crashes);
    for (int i = 0; i < seeds; i++) free(all.seed[i].data);
    munmap(p, sizeof *p);
    return 0;
}

int main(int argc, char **argv)
{
    static file_seed seeds[MOST_SEEDS];
    const char *full = getenv("KATA_TEST_FULL");
    int64_t count = full && !strcmp(full, "1") ? 1000000 : 6000, seed = 1;
    if (argc == 2 && !strcmp(argv[1], "--seeds")) return file_seeds_make(seeds, true) == 0;
    bool only_hdf5 = argc == 4 && !strcmp(argv[3], "hdf5");
    if (argc > 3 + only_hdf5 || (argc > 1 && !parse_integer(argv[1], 1, INT32_MAX, &count)) ||
        (argc > 2 && !parse_integer(argv[2], 0, INT64_MAX / 2, &seed))) {
        fprintf(stderr, "usage: %s [COUNT [SEED [hdf5]]] | --seeds\n", argv[0]);
        return 2;
    }
    return mutate(count, seed, only_hdf5);
}
