/* What programs may do with wisdom: look at it, carry it to another cache folder, forget it. */
#include "api/api.h"

/* All that is kept. Warns of what does not count: it is not there when the file is written anew. */
static bool get_kept(kata *k, wisdom *kept)
{
    kata_machine machine;
    int wrong = exec_wisdom_wrong(&k->exec);
    if (wrong && !kata_machine_get(k, &machine))
        message_warn(&k->messages, "the file is called wisdom.before when another takes its place",
                     "line %d of %s/wisdom is no wisdom of this version of Katagami", wrong,
                     machine.cache);
    return exec_wisdom_get(&k->exec, kept);
}

static const char *text_of(kata *k, void (*print)(text *, const wisdom *))
{
    wisdom kept = {0};
    text shown = {0};
    bool good = get_kept(k, &kept);
    print(&shown, &kept);
    good = good && !shown.failed;
    const char *copy = good ? arena_copy_text(&k->memory, text_get(&shown), shown.length) : NULL;
    wisdom_free(&kept);
    text_free(&shown);
    if (!copy) api_no_memory(k);
    return copy;
}

const char *kata_wisdom_list(kata *k)
{
    if (k && !k->messages.status) return text_of(k, wisdom_list);
    if (!k) api_null("kata_wisdom_list", "the context");
    return NULL;
}

const char *kata_wisdom_export(kata *k)
{
    if (k && !k->messages.status) return text_of(k, wisdom_print);
    if (!k) api_null("kata_wisdom_export", "the context");
    return NULL;
}

static kata_status write_wisdom(kata *k, const char *call, const wisdom *kept)
{
    if (exec_wisdom_set(&k->exec, kept)) return KATA_OK;
    return api_fail(k, KATA_ERROR_FILE,
                    "%s: the cache folder does not take it; kata info shows which one it is", call);
}

static kata_status import(kata *k, const char *lines, bool replace)
{
    wisdom kept = {0}, given = {0};
    bool memory = replace || get_kept(k, &kept);
    int wrong = wisdom_read(&given, lines, false);
    kata_status status = KATA_OK;
    for (size_t i = 0; i < given.count && memory; i++)
        memory = wisdom_add(&kept, &given.entries[i], true);
    if (wrong < 0 || !memory)
        status = api_no_memory(k);
    else if (wrong)
        status = api_fail(k, KATA_ERROR_FILE,
                          "kata_wisdom_import: line %d is none of kata_wisdom_export", wrong);
    else
        status = write_wisdom(k, "kata_wisdom_import", &kept);
    wisdom_free(&given);
    wisdom_free(&kept);
    return status;
}

kata_status kata_wisdom_import(kata *k, const char *lines, bool replace)
{
    if (!k) return api_null("kata_wisdom_import", "the context");
    if (k->messages.status) return k->messages.status;
    if (!lines) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_wisdom_import: the text is NULL");
    return import(k, lines, replace);
}

int kata_wisdom_forget(kata *k, const char *kernel)
{
    wisdom kept = {0};
    size_t count = 0;
    if (!k) api_null("kata_wisdom_forget", "the context");
    if (!k || k->messages.status) return 0;
    if (!get_kept(k, &kept))
        api_no_memory(k);
    else if ((count = wisdom_forget(&kept, kernel)) && write_wisdom(k, "kata_wisdom_forget", &kept))
        count = 0;
    wisdom_free(&kept);
    return (int)count;
}
