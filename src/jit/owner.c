/* The process that a jit works in. Threads and locks do not outlive a fork: a child makes the locks
 * anew and forgets the jobs of its parent. */
#include "jit/jit_private.h"

#include <unistd.h>

void jit_adopt(jit *j)
{
    if (j->owner == getpid()) return;
    j->owner = getpid();
    j->running = j->beside = 0;
    j->queue = NULL;
    j->has_ended = false;
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->temporary_work, NULL);
    pthread_cond_init(&j->ended, NULL);
}
