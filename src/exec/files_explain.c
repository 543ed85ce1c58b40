/* What is explained of chains with fields in files: how they ran, which loops ran on mapped files
 * and why, and whether the disk or the loops decide how long it takes. */
#include "exec/on_files.h"

/* ---- printing -------------------------------------------------------------------------------- */

/* What has happened, and how fast the disk was. */
typedef struct facts {
    double in, out;    /* bytes */
    double busy, rate; /* seconds in which the disk moved something; bytes per second */
    bool disk;         /* it takes longer than the loops */
} facts;

static facts facts_of(const struct exec_files *f)
{
    facts t = {.in = 0};
    if (!f->port) return t;
    t.in = (double)port_moved(f->port, false);
    t.out = (double)port_moved(f->port, true);
    t.busy = port_busy(f->port);
    t.rate = t.busy > 0 ? (t.in + t.out) / t.busy : 0;
    t.disk = files_disk_decides(t.busy, f->streams.seconds, f->streams.waited);
    return t;
}

static void explain_reason(const stream_reason *r, text *out)
{
    text_add(out, "  on mapped files: '%s'", r->kernel);
    if (r->loops > 1) text_add(out, ", %lld loops", (long long)r->loops);
    text_add(out, ": %s\n", r->why);
}

static void explain_text(const struct exec_files *f, const facts *t, text *out)
{
    text_add(out, "fields in files\n  %lld chains streamed", (long long)f->streams.streamed);
    if (f->streams.streamed)
        text_add(out, ", the longest in tiles of %lld planes, %lld loops deep",
                 (long long)f->streams.request.tile[2], (long long)f->streams.request.depth);
    text_add(out, "; %lld on mapped files\n", (long long)f->streams.home);
    if (f->beside)
        text_add(out,
                 "  in %lld chains all other fields were in memory: what is made and used up had "
                 "planes alone\n",
                 (long long)f->beside);
    if (f->streams.streamed) {
        text_add(out,
                 "  moved in %.3g GB, out %.3g GB; %.3g s, of which %.3g s waiting for the "
                 "disk\n",
                 t->in / 1e9, t->out / 1e9, f->streams.seconds, f->streams.waited);
        text_add(out, "  the disk was busy for %.3g s, at %.3g GB/s: %s\n", t->busy, t->rate / 1e9,
                 t->disk ? "it decides how long this takes"
                         : "the loops decide how long this takes");
    }
    for (int i = 0; i < f->streams.reason_count; i++) explain_reason(&f->streams.reasons[i], out);
}

static void explain_json(const struct exec_files *f, const facts *t, text *out)
{
    text_add(out,
             "{\"kind\": \"files\", \"streamed\": %lld, \"in_memory\": %lld, \"mapped\": %lld, "
             "\"planes\": %lld, "
             "\"depth\": %lld, \"bytes_in\": %.0f, \"bytes_out\": %.0f, \"seconds\": %.9g, "
             "\"seconds_waiting\": %.9g, \"seconds_disk\": %.9g, \"bound\": \"%s\", "
             "\"reasons\": [",
             (long long)f->streams.streamed, (long long)f->beside, (long long)f->streams.home,
             (long long)f->streams.request.tile[2], (long long)f->streams.request.depth, t->in,
             t->out, f->streams.seconds, f->streams.waited, t->busy, t->disk ? "disk" : "loops");
    for (int i = 0; i < f->streams.reason_count; i++)
        text_add(out, "%s{\"kernel\": \"%s\", \"loops\": %lld, \"why\": \"%s\"}", i ? ", " : "",
                 f->streams.reasons[i].kernel, (long long)f->streams.reasons[i].loops,
                 f->streams.reasons[i].why);
    text_add(out, "]}\n");
}

void exec_files_explain(const exec_context *context, bool json, text *out)
{
    const struct exec_files *f = context->files;
    if (!f || (!f->streams.streamed && !f->streams.home && !f->streams.reason_count)) return;
    const facts t = facts_of(f);
    if (json)
        explain_json(f, &t, out);
    else
        explain_text(f, &t, out);
}
