/* Programs in a process of their own: a crash or a hang is a judgement too, and no thread of one
 * trial lives on in the next. */
#include "random.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 300, LONGEST_OF_ALL = 3600 /* seconds; where KATA_TEST_FULL is 1 */ };

static void run_reference(program *const *programs, int count, const trial *t, record *expected,
                          judgement *out)
{
    kata_status status = run_programs(programs, count, &t->settings[0], t->out, expected);
    for (int i = 0; i < count; i++)
        out[i] = (judgement){.verdict = status ? REFUSED : PASSED, .status = status};
}

static void run_setting(program *const *programs, int count, const trial *t, int s,
                        const record *expected, judgement *out, int *joined)
{
    const setting *setting = &t->settings[s];
    record *found = calloc((size_t)count, sizeof *found);
    if (!found || (setting->counted && !joined_begin())) exit(99);
    kata_status status = run_programs(programs, count, setting, t->out, found);
    int more = setting->counted ? joined_end() : 0;
    if (more < 0) exit(99);
    *joined += more;
    for (int i = 0; i < count; i++) {
        if (out[i].verdict != PASSED) continue;
        if (status)
            out[i] = (judgement){.verdict = REFUSED, .status = status, .setting = s};
        else if (!record_compare(t->out, programs[i], &expected[i], &found[i], setting->name))
            out[i] = (judgement){.verdict = DIFFERS, .setting = s};
    }
    for (int i = 0; i < count; i++) record_free(&found[i]);
    free(found);
}

static void judge(program *const *programs, int count, const trial *t, judgement *out, int *joined)
{
    record *expected = calloc((size_t)count, sizeof *expected);
    if (!expected) exit(99);
    run_reference(programs, count, t, expected, out);
    for (int s = 1; s < t->count && out[0].verdict != REFUSED; s++)
        run_setting(programs, count, t, s, expected, out, joined);
    for (int i = 0; i < count; i++) record_free(&expected[i]);
    free(expected);
}

void judge_here(program *const *programs, int count, const trial *t, judgement *out)
{
    int joined = 0;
    judge(programs, count, t, out, &joined);
}

/* Crashed until the end is reached. */
static void judge_for(program *const *programs, int count, const trial *t, const court *shared)
{
    judgement *out = calloc((size_t)count, sizeof *out);
    if (!out) exit(99);
    judge(programs, count, t, out, shared->joined);
    for (int i = 0; i < count; i++) shared->judgements[i] = out[i];
    free(out);
}

bool judge_start(court *c, program *const *programs, int count, const trial *t)
{
    size_t size = (size_t)count * sizeof *c->judgements + sizeof *c->joined;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return false;
    *c = (court){.judgements = shared, .count = count};
    c->joined = (int *)(c->judgements + count);
    for (int i = 0; i < count; i++) c->judgements[i].verdict = CRASHED;
    fflush(NULL);
    c->pid = fork();
    if (c->pid == 0) {
        const char *full = getenv("KATA_TEST_FULL");
        alarm(full && full[0] == '1' ? LONGEST_OF_ALL : LONGEST);
        judge_for(programs, count, t, c);
        fflush(NULL);
        exit(0);
    }
    return c->pid > 0;
}

int judge_finish(court *c, judgement *out)
{
    int status = 0;
    bool ended = waitpid(c->pid, &status, 0) == c->pid && WIFEXITED(status) && !WEXITSTATUS(status);
    for (int i = 0; i < c->count; i++)
        out[i] = ended ? c->judgements[i] : (judgement){.verdict = CRASHED};
    int joined = *c->joined;
    munmap(c->judgements, (size_t)c->count * sizeof *c->judgements + sizeof *c->joined);
    return joined;
}

judgement judge_alone(program *p, const trial *t)
{
    court c;
    judgement j = {.verdict = CRASHED};
    if (judge_start(&c, &p, 1, t)) judge_finish(&c, &j);
    return j;
}
