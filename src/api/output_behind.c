/* The thread that writes files behind, on the first rank, and its errors, which become those of all
 * ranks where they meet next. */
#include "api/files.h"

#include <string.h>
#include <unistd.h>

kata_status api_choose_behind(kata *k)
{
    static const int64_t MOST = INT64_C(1) << 50;
    const char *asked = environment_get("KATA_BEHIND");
    k->behind_most = asked && !strcmp(asked, "0") ? 0 : -1;
    if (!asked || !k->behind_most || parse_bytes(asked, 1, MOST, &k->behind_most)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "the environment variable KATA_BEHIND is '%s', not bytes, such as 2G, or 0, "
                    "with which nothing is written behind",
                    asked);
}

/* Copies that wait to be written take an eighth of the memory that there is, or of the limit for
 * fields, and 4 GiB at most: a container may have less than the machine. */
static int64_t most_behind(const kata *k)
{
    static const int64_t MOST = INT64_C(4) << 30;
    enum { SHARE = 8 };
    if (k->behind_most >= 0) return k->behind_most;
    int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    if (k->field_memory && k->field_memory < memory) memory = k->field_memory;
    return smaller(memory / SHARE, MOST);
}

bool api_output_can_wait(kata *k)
{
    if (k->eager || k->behind_most == 0) return false;
    if (io_behind_is_here(k->behind)) return true;
    k->behind = io_behind_new(most_behind(k));
    return k->behind;
}

kata_status api_output_wait(kata *k)
{
    if (!k->writes_behind) return k->messages.status;
    io_behind_wait(k->behind);
    return api_output_error(k);
}

kata_status api_output_error(kata *k)
{
    if (k->messages.status || !k->writes_behind) return k->messages.status;
    kata_status status = io_behind_take_error(k->behind, &k->messages);
    status = exec_agree(&k->exec, "look for errors of files", status, &k->messages);
    api_note_error(k);
    return status;
}

kata_status api_output_look(kata *k)
{
    bool alone = exec_ranks_count(&k->exec) == 1;
    if (alone && io_behind_take_error(k->behind, &k->messages)) api_note_error(k);
    return k->messages.status;
}

void api_output_free(kata *k) { io_behind_free(k->behind); }

kata_status kata_output_wait(kata *k)
{
    if (!k) return api_null("kata_output_wait", "the context");
    if (k->messages.status) return k->messages.status;
    kata_status status = exec_meet(&k->exec, "kata_output_wait", 0, &k->messages);
    return status ? status : api_output_wait(k);
}
