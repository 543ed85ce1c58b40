/* Processes that share a cache folder, as the ranks of a node do, need the same text at the same
 * time. One of them compiles it, and the others wait for what it makes. The turn is a lock on one
 * byte of a file, chosen by the key; the kernel drops it when the process ends. Where locks are not
 * to be had, or one has waited for long, everybody compiles. */
#include "jit/jit_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TURNS ".compiling"
enum { SHORTEST_NAP = 500000, LONGEST_NAP = 20000000 }; /* nanoseconds */

/* The byte of a key. Two keys may share one: then one waits although it need not. */
static struct flock lock_of(const char *key)
{
    const uint64_t bits = hash_bytes(key, strlen(key), 0);
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(bits >> 24), .l_len = 1};
}

static bool is_taken(int file, const char *key)
{
    struct flock lock = lock_of(key);
    return fcntl(file, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
}

int jit_turn_take(const jit_folder *folder, const char *key, const _Atomic bool *stop)
{
    const int64_t most = INT64_C(1000000000) * JIT_MOST_TURN_SECONDS;
    int file = openat(folder->file, TURNS, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int64_t waited = 0, nap = SHORTEST_NAP;
    while (file >= 0 && is_taken(file, key)) {
        if (waited >= most || (stop && atomic_load(stop))) break;
        nanosleep(&(struct timespec){.tv_nsec = nap}, NULL);
        waited += nap;
        nap = nap * 3 / 2 < LONGEST_NAP ? nap * 3 / 2 : LONGEST_NAP;
    }
    return file;
}

/* A process that was forked meanwhile has the file, too: closing it here would leave it the lock.
 */
void jit_turn_end(int turn)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    if (turn < 0) return;
    fcntl(turn, F_OFD_SETLK, &all);
    close(turn);
}
