/* The page that the ranks of a machine share, and what they find there. */
#include "comm/watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A rank that waits looks many times a second. One that has not for so long is stopped. */
static const double stale = 2;
/* Where a rank is gone that has come to as many meetings as this one, what it has sent may still be
 * on its way. */
static const double on_the_way = 5;

/* ---- joining --------------------------------------------------------------------------------- */

static size_t bytes_of(int count) { return (size_t)count * sizeof(watch_slot); }

bool watch_make(char name[WATCH_NAME], int count)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, WATCH_NAME, "/katagami-%ld-%lld-%ld", (long)getpid(), (long long)now.tv_sec,
             now.tv_nsec);
    int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    bool made = file >= 0 && !posix_fallocate(file, 0, (off_t)bytes_of(count));
    if (file >= 0) close(file);
    if (file >= 0 && !made) shm_unlink(name);
    if (!made) *name = 0;
    return made;
}

static struct flock lock_of(int slot)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)slot, .l_len = 1};
}

bool watch_join(watch *w, const char *name, int me, int count, int rank, double first_note)
{
    struct flock mine = lock_of(me);
    *w = (watch){.me = me, .count = count, .first_note = first_note, .next_note = first_note};
    w->file = *name ? shm_open(name, O_RDWR, 0) : -1;
    if (w->file < 0) return false;
    void *page = mmap(NULL, bytes_of(count), PROT_READ | PROT_WRITE, MAP_SHARED, w->file, 0);
    if (page == MAP_FAILED || fcntl(w->file, F_SETLK, &mine)) {
        if (page != MAP_FAILED) munmap(page, bytes_of(count));
        close(w->file);
        return false;
    }
    w->slots = page;
    w->slots[me].rank = rank;
    return true;
}

void watch_hide(const char *name) { shm_unlink(name); }

void watch_end(watch *w)
{
    if (!w->slots) return;
    munmap(w->slots, bytes_of(w->count));
    close(w->file);
    w->slots = NULL;
}

/* ---- what this rank does --------------------------------------------------------------------- */

void watch_meet(watch *w)
{
    if (w->slots) w->slots[w->me].meetings++;
}

uint64_t watch_leave(watch *w)
{
    if (!w->slots) return UINT64_MAX;
    w->slots[w->me].left = true;
    return w->slots[w->me].meetings;
}

double watch_wait(watch *w)
{
    double now = clock_seconds();
    if (w->slots[w->me].looked == 0) w->since = now;
    w->slots[w->me].looked = now;
    return now - w->since;
}

void watch_go_on(watch *w)
{
    if (!w->slots) return;
    w->slots[w->me].looked = 0;
    w->next_note = w->first_note;
}

/* ---- what others do -------------------------------------------------------------------------- */

static bool lives(const watch *w, int slot)
{
    struct flock other = lock_of(slot);
    return slot == w->me || fcntl(w->file, F_GETLK, &other) || other.l_type != F_UNLCK;
}

static bool is_gone(const watch *w, int slot) { return w->slots[slot].left || !lives(w, slot); }

static bool waits(const watch *w, int slot)
{
    double looked = w->slots[slot].looked;
    return looked > 0 && w->slots[w->me].looked - looked < stale;
}

/* Whether all ranks of the machine wait that are not gone. */
static bool all_wait(const watch *w)
{
    for (int i = 0; i < w->count; i++)
        if (!waits(w, i) && !is_gone(w, i)) return false;
    return true;
}

bool watch_misses(const watch *w, uint64_t meetings, bool left)
{
    const watch_slot *mine = &w->slots[w->me];
    if (left && mine->left) return false;
    return meetings < mine->meetings || (mine->looked - w->since > on_the_way && all_wait(w));
}

/* What another rank has found, where this one does not leave the program itself; or -1. */
static int missed_by_others(const watch *w, bool *left)
{
    for (int i = 0; i < w->count && !w->slots[w->me].left; i++) {
        const int misses = w->slots[i].misses;
        *left = misses < 0;
        if (misses) return abs(misses) - 1;
    }
    return -1;
}

int watch_find_gone(const watch *w, bool *left)
{
    int gone = missed_by_others(w, left);
    for (int i = 0; i < w->count && gone < 0; i++) {
        const watch_slot *slot = &w->slots[i];
        *left = slot->left;
        if (is_gone(w, i) && watch_misses(w, slot->meetings, *left)) gone = slot->rank;
    }
    return gone;
}

void watch_say_missing(watch *w, int rank, bool left)
{
    w->slots[w->me].misses = left ? -(rank + 1) : rank + 1;
}

bool watch_others_wait(watch *w)
{
    watch_wait(w);
    for (int i = 0; i < w->count; i++)
        if (i != w->me && !w->slots[i].misses && waits(w, i) && !is_gone(w, i)) return true;
    return false;
}

bool watch_is_to_say(watch *w)
{
    if (w->slots[w->me].looked - w->since < w->next_note) return false;
    w->next_note *= 2;
    for (int i = 0; i < w->me; i++)
        if (waits(w, i) && !is_gone(w, i)) return false;
    return true;
}

void watch_add_awaited(const watch *w, text *out)
{
    enum { MOST = 8 };
    text ranks = {0};
    int found = 0;
    for (int i = 0; i < w->count; i++) {
        if (waits(w, i) || is_gone(w, i)) continue;
        if (found < MOST) text_add(&ranks, "%s%d", found ? ", " : "", w->slots[i].rank);
        found++;
    }
    if (!found)
        text_add(out, "ranks of other machines");
    else
        text_add(out, "rank%s %s%s", found > 1 ? "s" : "", text_get(&ranks),
                 found > MOST ? " and others" : "");
    text_free(&ranks);
}
