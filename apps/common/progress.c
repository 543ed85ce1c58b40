#include "common/common.h"

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
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

void progress_start(progress *p, const kata *k, const char *title, double total, bool quiet)
{
    *p = (progress){.k = k, .title = title, .total = total, .quiet = quiet};
    p->terminal = on_terminal();
    p->start = p->latest = now();
    p->before = quiet ? 0 : points_done(k);
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

static void print_line(const progress *p, double points, double seconds)
{
    double share = p->total > 0 ? points / p->total : 0;
    if (share > 1) share = 1;
    fprintf(stderr, "%s%s", p->terminal ? "\r" : "", p->title);
    if (p->total > 0) {
        if (p->terminal) print_bar(share);
        fprintf(stderr, " %3d%%", (int)(100 * share));
    }
    fprintf(stderr, "  %.0f Mpoints/s", 1e-6 * points / seconds);
    if (share > 0)
        print_duration(seconds * (1 - share) / share, "left");
    else
        print_duration(seconds, "so far");
    if (p->note[0]) fprintf(stderr, "  %s", p->note);
    fputs(p->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

void progress_show(progress *p)
{
    if (p->quiet) return;
    double time = now();
    if (time - p->latest < (p->terminal ? 0.1 : 5.0)) return;
    p->latest = time;
    p->shown = true;
    print_line(p, (double)(points_done(p->k) - p->before), time - p->start);
}

void progress_erase(progress *p)
{
    if (p->shown && p->terminal) fputs("\r\033[K", stderr);
    p->shown = false;
}
