#include "common/common.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    BAR = 27,      /* characters of the bar, its frame included */
    NARROWEST = 4, /* without its frame, a bar that can be read */
    LONGEST = 240
};

double progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t points_done(const kata *k)
{
    kata_work work = {0};
    return kata_work_done(k, &work) == KATA_OK ? work.points : 0;
}

static bool on_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void progress_start(progress *p, const kata *k, const char *title, double total, bool quiet)
{
    *p = (progress){.k = k, .title = title, .total = total, .quiet = quiet};
    p->terminal = on_terminal();
    p->start = p->latest = progress_clock();
    p->before = p->until = quiet ? 0 : points_done(k);
}

void progress_note(progress *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(p->note, sizeof p->note, format, list);
    va_end(list);
}

/* ---- the line -------------------------------------------------------------------------------- */

/* A line of text that is cut at its end. */
typedef struct line {
    char words[LONGEST + 1];
    size_t used;
} line;

static void add(line *l, const char *format, ...) PRINTF_LIKE(2, 3);
static void add(line *l, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsnprintf(l->words + l->used, sizeof l->words - l->used, format, list);
    va_end(list);
    if (count > 0) l->used += (size_t)count;
    if (l->used >= sizeof l->words) l->used = sizeof l->words - 1;
}

static void add_duration(line *l, double seconds, const char *meaning)
{
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        add(l, "  %ld:%02ld:%02ld %s", s / 3600, s / 60 % 60, s % 60, meaning);
    else
        add(l, "  %ld:%02ld %s", s / 60, s % 60, meaning);
}

/* " 45%  123 Mpoints/s  0:12 left" */
static void add_state(line *l, const progress *p)
{
    double done = (double)(p->until - p->before), seconds = p->latest - p->start;
    if (p->total > 0) add(l, " %3d%%", (int)(100 * p->share));
    add(l, "  %.0f Mpoints/s", 1e-6 * p->rate);
    if (p->total <= 0)
        add_duration(l, seconds, "so far");
    else if (seconds >= 1 && p->rate > 0 && done < p->total) /* the first second is no guide */
        add_duration(l, (p->total - done) / p->rate, "left");
}

/* A bar of `width` characters, its frame included; nothing where that is too little to read. */
static void add_bar(line *l, double share, int width)
{
    int cells = width - (int)strlen(" []");
    if (cells < NARROWEST) return;
    add(l, " [");
    for (int i = 0; i < cells; i++) add(l, "%c", i < (int)(share * cells) ? '#' : '.');
    add(l, "]");
}

/* Columns of the terminal, less the last one: a character there makes some terminals scroll. */
static int columns(void)
{
    struct winsize size;
    const char *set = getenv("COLUMNS");
    int count = set ? atoi(set) : 0;
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 0) count = size.ws_col;
    if (count <= 0) count = 80;
    return count - 1 < LONGEST ? count - 1 : LONGEST;
}

/* On a terminal the bar takes the room that is left; then the note goes, then the end is cut. */
static void print_line(progress *p)
{
    line all = {.used = 0}, state = {.used = 0}, note = {.used = 0};
    int width = p->terminal ? columns() : LONGEST;
    if (p->total > 0)
        p->share = fmax(p->share, fmin((double)(p->until - p->before) / p->total, 0.99));
    add_state(&state, p);
    if (p->note[0]) add(&note, "  %s", p->note);
    add(&all, "%s", p->title);
    int room = width - (int)(all.used + state.used + note.used);
    if (p->terminal && p->total > 0) add_bar(&all, p->share, room < BAR ? room : BAR);
    add(&all, "%s%s", state.words, room >= 0 ? note.words : "");
    fprintf(stderr, "%s%.*s%s", p->terminal ? "\r" : "", width, all.words,
            p->terminal ? "\033[K" : "\n");
    fflush(stderr);
}

/* ---- when it is shown ------------------------------------------------------------------------ */

/* The rate is a running mean over about a second, or over the time since the latest line. */
static void measure(progress *p, double time)
{
    int64_t until = points_done(p->k);
    double seconds = time - p->latest, rate = (double)(until - p->until) / seconds;
    p->rate += (rate - p->rate) * (seconds < 1 && p->rate > 0 ? seconds : 1);
    p->until = until;
    p->latest = time;
}

void progress_show(progress *p)
{
    if (p->quiet) return;
    double time = progress_clock();
    if (time - p->latest < (p->terminal ? 0.1 : 5.0)) return;
    measure(p, time);
    print_line(p);
    p->shown = true;
}

void progress_erase(progress *p)
{
    if (p->shown && p->terminal) fputs("\r\033[K", stderr);
    p->shown = false;
}
