#include "common/common.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 24 };

static double now(void)
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
    p->start = p->latest = now();
    p->before = p->until = quiet ? 0 : points_done(k);
}

void progress_note(progress *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(p->note, sizeof p->note, format, list);
    va_end(list);
}

static void print_bar(double share)
{
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++) bar[i] = i < (int)(share * BAR) ? '#' : '.';
    bar[BAR] = 0;
    fprintf(stderr, " [%s]", bar);
}

static void print_duration(double seconds, const char *meaning)
{
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        fprintf(stderr, "  %ld:%02ld:%02ld %s", s / 3600, s / 60 % 60, s % 60, meaning);
    else
        fprintf(stderr, "  %ld:%02ld %s", s / 60, s % 60, meaning);
}

static void print_line(progress *p)
{
    double done = (double)(p->until - p->before), seconds = p->latest - p->start;
    fprintf(stderr, "%s%s", p->terminal ? "\r" : "", p->title);
    if (p->total > 0) {
        p->share = fmax(p->share, fmin(done / p->total, 0.99));
        if (p->terminal) print_bar(p->share);
        fprintf(stderr, " %3d%%", (int)(100 * p->share));
    }
    fprintf(stderr, "  %.0f Mpoints/s", 1e-6 * p->rate);
    if (p->total <= 0)
        print_duration(seconds, "so far");
    else if (seconds >= 1 && p->rate > 0 && done < p->total) /* the first second is no guide */
        print_duration((p->total - done) / p->rate, "left");
    if (p->note[0]) fprintf(stderr, "  %s", p->note);
    fputs(p->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

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
    double time = now();
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
