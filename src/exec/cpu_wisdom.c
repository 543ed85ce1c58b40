/* Wisdom of the cpu executor: it is kept in a file of the cache folder of kernels, read when the
 * first chain with tiles is met, and written when a search has ended and when the context ends. The
 * file is read again before it is written, so that processes which run at once lose little of what
 * the others have found. Without a folder that can be written to nothing is kept. A file with wrong
 * lines, damaged or of another version, keeps another name when it is replaced. */
#include "exec/alike.h"
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

static const char file_name[] = "wisdom";

/* ---- the file -------------------------------------------------------------------------------- */

/* Adds what is right of the file. Returns the number of its first wrong line, 0 where all is right
 * or there is none, -1 when memory is out. */
static int read_lines(const jit *j, wisdom *out)
{
    text lines = {0};
    bool found = jit_note_read(j, file_name, WISDOM_BYTES, &lines);
    int wrong = found ? wisdom_read(out, text_get(&lines), false) : jit_note_is_there(j, file_name);
    text_free(&lines);
    return wrong;
}

static bool read_file(const jit *j, wisdom *out) { return read_lines(j, out) >= 0; }

/* `wrong`: as read_lines has returned it. */
static bool write_file(const jit *j, const wisdom *w, int wrong)
{
    text lines = {0};
    wisdom_print(&lines, w);
    bool good = !lines.failed;
    if (good && wrong) jit_note_keep(j, file_name, ".before");
    good = good && jit_note_write(j, file_name, text_get(&lines));
    text_free(&lines);
    return good;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Sets what an entry is about; false when memory is out. */
static bool describe(const tune_ways *w, wisdom_entry *out)
{
    text machine = {0};
    *out = (wisdom_entry){.chain = w->key, .threads = w->threads};
    machine_cpu_key(&machine);
    text_add(&machine, " cores %d", machine_cores());
    bool good = !machine.failed;
    if (good) hash_hex(text_get(&machine), machine.length, out->machine);
    text_free(&machine);
    snprintf(out->version, sizeof out->version, "%s", KATA_VERSION);
    memcpy(out->grid, w->grid, sizeof out->grid);
    snprintf(out->kernel, sizeof out->kernel, "%s", w->kernel);
    return good;
}

void cpu_wisdom_use(exec_context *context, tune_ways *w)
{
    struct exec_cpu *cpu = context->cpu;
    wisdom_entry like;
    if (!context->remember || w->plain || !w->key) return;
    if (!cpu->wisdom_loaded) read_file(cpu->jit, &cpu->wisdom);
    cpu->wisdom_loaded = true;
    const wisdom_entry *e = describe(w, &like) ? wisdom_find(&cpu->wisdom, &like) : NULL;
    if (e) tune_search_remember(w, &e->request, 1e-9 * (double)e->nanoseconds, e->settled);
}

/* What was found out of a chain; false: nothing. The fastest way may just be tried again: then it
 * counts with what it took before. */
static bool entry_of(const tune_ways *w, wisdom_entry *out)
{
    const tune_way *best = w->plain || !w->key || w->best < 0 ? NULL : &w->ways[w->best];
    if (!best || best->least < 1e-9 || !describe(w, out)) return false;
    out->loops = w->loops;
    out->nanoseconds = (int64_t)(1e9 * best->least);
    out->settled = w->rests && !w->provisional;
    out->request = best->request;
    return true;
}

void cpu_wisdom_save(struct exec_cpu *cpu)
{
    wisdom now = {0};
    bool changed = false;
    for (int i = 0; cpu->ways && i < CPU_KNOWN_CHAINS; i++) changed |= cpu->ways[i].learned;
    if (!changed || !cpu->wisdom_loaded) return;
    const int wrong = read_lines(cpu->jit, &now);
    bool good = wrong >= 0;
    for (int i = 0; i < CPU_KNOWN_CHAINS && good; i++) {
        tune_ways *w = &cpu->ways[i];
        wisdom_entry e;
        if (w->learned && entry_of(w, &e)) good = wisdom_add(&now, &e, false);
        w->learned = false;
    }
    if (good) write_file(cpu->jit, &now, wrong);
    wisdom_free(&now);
}

/* ---- as a whole ------------------------------------------------------------------------------ */

bool exec_wisdom_get(const exec_context *context, wisdom *out)
{
    return read_file(context->jit, out);
}

int exec_wisdom_wrong(const exec_context *context)
{
    wisdom right = {0};
    int wrong = read_lines(context->jit, &right);
    wisdom_free(&right);
    return larger(wrong, 0);
}

bool exec_wisdom_set(const exec_context *context, const wisdom *w)
{
    return write_file(context->jit, w, exec_wisdom_wrong(context));
}
