/* Plans as people read them: of many leaves in a row the first and the last, and each plan once,
 * with the number of chains that it was for. The JSON form has all. */
#include "api/api.h"
#include "api/explain.h"

#include <string.h>

/* Leaves in a row that are shown whole; otherwise so many at the begin and at the end. */
enum { MOST_LEAVES = 24, FIRST_LEAVES = 10, LAST_LEAVES = 4, MOST_LINES = 400 };

/* The next line, with its newline. */
static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

/* Whether two lines are leaves, one below the other, of one node. */
static bool are_leaves(const char *a, const char *b)
{
    size_t indent = strspn(a, " ");
    return strspn(b, " ") == indent && !strncmp(a + indent, "loop ", 5) &&
           !strncmp(b + indent, "loop ", 5);
}

/* How many leaves in a row begin here; *end is behind them. */
static int count_leaves(const char *line, const char **end)
{
    int count = 0;
    *end = line;
    while (**end && are_leaves(line, *end)) {
        *end += line_length(*end);
        count++;
    }
    return count;
}

static const char *add_lines(text *out, const char *line, int count)
{
    for (; count > 0; count--) {
        size_t length = line_length(line);
        text_add(out, "%.*s", (int)length, line);
        line += length;
    }
    return line;
}

static void shorten(text *out, const char *plan)
{
    int lines = 0;
    for (const char *line = plan, *end; *line; lines++) {
        if (lines == MOST_LINES) {
            text_add(out, "... and so on; the JSON form has all\n");
            return;
        }
        int leaves = count_leaves(line, &end);
        if (leaves <= MOST_LEAVES) {
            line = add_lines(out, line, leaves ? leaves : 1);
            continue;
        }
        int indent = (int)strspn(line, " "), hidden = leaves - FIRST_LEAVES - LAST_LEAVES;
        line = add_lines(out, line, FIRST_LEAVES);
        text_add(out, "%*s... %d more loops\n", indent, "", hidden);
        for (; hidden > 0; hidden--) line += line_length(line);
        line = add_lines(out, line, LAST_LEAVES);
    }
}

/* Plans beyond those remembered are shown each time. */
bool api_explain_is_new(shown_plans *plans, const text *shown)
{
    uint64_t hash = hash_bytes(text_get(shown), shown->length, 0);
    for (int i = 0; i < plans->count; i++)
        if (plans->hash[i] == hash) return false;
    if (plans->count < API_SHOWN_PLANS) plans->hash[plans->count++] = hash;
    return true;
}

bool api_explain_plan(shown_plans *plans, const plan *p, const analysis_chain *a, const char *note,
                      text *out)
{
    text whole = {0}, shown = {0};
    plan_print(&whole, p, a);
    shorten(&shown, text_get(&whole));
    if (note)
        text_add(&shown, "# the executor 'cpu' runs these loops one after another: %s\n", note);
    bool fresh = api_explain_is_new(plans, &shown);
    if (fresh) text_add(out, "%s", text_get(&shown));
    out->failed |= whole.failed || shown.failed;
    text_free(&whole);
    text_free(&shown);
    return fresh;
}
