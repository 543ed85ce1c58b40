/* Steps until a scalar is below a limit: a loop that reads the scalar after every so many steps,
 * and after the last one. Nothing else here ends the chain. */
#include "api/api.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST_CALL = 300 };

/* "main.c:17: kata_until_below", for messages. */
static const char *call_name(const char *file, int line, bool above, char name[LONGEST_CALL])
{
    const char *call = above ? "kata_until_above" : "kata_until_below";
    if (file && *file)
        snprintf(name, LONGEST_CALL, "%.255s:%d: %s", file, line, call);
    else
        snprintf(name, LONGEST_CALL, "%s", call);
    return name;
}

/* ---- begin ----------------------------------------------------------------------------------- */

static kata_status check_count(kata *k, const char *call, const char *option, int64_t count)
{
    if (count >= 1) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s: .%s is %lld, not 1 or more; give both: .most = 10000, .every = 10", call,
                    option, (long long)count);
}

static kata_status check(const kata_scalar *scalar, const kata_until_options *o)
{
    kata *k = scalar->k;
    char name[LONGEST_CALL];
    const char *call = call_name(o->file, o->line, o->above, name);
    if (scalar->slot->components != 1)
        return api_fail(
            k, KATA_ERROR_ARGUMENT,
            "%s: '%s' is an array of %d elements; one number is compared with the limit", call,
            scalar->name, scalar->slot->components);
    if (isnan(o->limit))
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the limit for '%s' is NaN", call,
                        scalar->name);
    kata_status status = check_count(k, call, "most", o->most);
    return status ? status : check_count(k, call, "every", o->every);
}

/* Makes no step, without a word of its own: what is wrong was reported. */
static const kata_until none = {.begun = true, .value = NAN};

kata_until kata_until_with(kata_scalar *scalar, const kata_until_options *given)
{
    static const api_options kind = {
        .call = "kata_until_below",
        .type = "kata_until_options",
        .example = "kata_until_below(change, 1e-8, .most = 10000, .every = 10)",
        .size = sizeof(kata_until_options),
        .unnamed = offsetof(kata_until_options, unnamed),
        .least = API_END(kata_until_options, every)};
    kata_until_options o;
    if (!scalar) {
        api_null("kata_until_below", "the scalar");
        return none;
    }
    kata *k = scalar->k;
    if (k->messages.status) return none;
    if (!given) {
        api_fail(k, KATA_ERROR_ARGUMENT, "kata_until_below: the options are NULL");
        return none;
    }
    if (api_options_read(k, &kind, given, &o) || check(scalar, &o)) return none;
    return (kata_until){.scalar = scalar,
                        .limit = o.limit,
                        .above = o.above,
                        .most = o.most,
                        .every = o.every,
                        .file = o.file,
                        .line = o.line,
                        .writes_before = scalar->writes,
                        .value = NAN};
}

/* ---- steps ----------------------------------------------------------------------------------- */

static kata_status refuse_nan(const kata_until *u)
{
    char name[LONGEST_CALL];
    return api_fail(u->scalar->k, KATA_ERROR_ASSERT, "%s: '%s' is NaN after %lld steps",
                    call_name(u->file, u->line, u->above, name), u->scalar->name,
                    (long long)u->steps);
}

static kata_status refuse_unwritten(const kata_until *u)
{
    char name[LONGEST_CALL];
    return api_fail(u->scalar->k, KATA_ERROR_ARGUMENT,
                    "%s: no kernel has written '%s' in these steps; apply one that does, with '%s' "
                    "as a sum, min or max, before each look",
                    call_name(u->file, u->line, u->above, name), u->scalar->name, u->scalar->name);
}

/* Reads the scalar. False where that fails, or there is nothing to compare. After kata_resume,
 * which has set it, no kernel need have written it. */
static bool look(kata_until *u)
{
    double value;
    if (u->begun && kata_ok(u->scalar->k) && u->scalar->writes == u->writes_before)
        return refuse_unwritten(u) == KATA_OK;
    if (api_scalar_read(u->scalar, "kata_until_next", &value)) return false;
    u->value = value;
    if (isnan(value)) return refuse_nan(u) == KATA_OK;
    u->reached = u->above ? value > u->limit : value < u->limit;
    return true;
}

/* Whether the scalar is looked at after a step; `step` counts from 1. */
static bool looks_after(const kata_until *u, int64_t step)
{
    return step == u->most || step % u->every == 0;
}

/* Counts the step that was made, and looks at the scalar where that is due. False on error. */
static bool end_step(kata_until *u)
{
    u->steps++;
    u->look = false;
    return !looks_after(u, u->steps) || look(u);
}

bool kata_until_next(kata_until *u)
{
    if (!u) {
        api_null("kata_until_next", "what kata_until_below returned");
        return false;
    }
    if (!u->scalar) {
        if (!u->begun) api_null("kata_until_next", "the scalar");
        return false;
    }
    if (!kata_ok(u->scalar->k) || u->reached || (u->begun && u->steps >= u->most)) return false;
    const bool goes_on = !u->begun && u->steps > 0;
    if (goes_on && looks_after(u, u->steps) && !look(u)) return false;
    if (u->begun && !end_step(u)) return false;
    if (u->reached || u->steps >= u->most) return false;
    u->begun = true;
    u->look = looks_after(u, u->steps + 1);
    return true;
}
