/* Files that fields go to: at once, or behind. All ranks take part in getting values; the first one
 * has the files. */
#include "api/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *api_output_data(kata *k, size_t size, const char *path)
{
    char *copy = strdup(path), **data = calloc(1, size);
    if (copy && data) {
        *data = copy;
        return data;
    }
    free(copy);
    free(data);
    api_no_memory(k);
    return NULL;
}

void api_output_data_free(void *data)
{
    char **path = data;
    free(*path);
    free(data);
}

kata_status api_check_writer(kata *k, pid_t writer, const char *call, const char *path)
{
    if (k->messages.status || writer == getpid()) return k->messages.status;
    message_begin(&k->messages, KATA_ERROR_FILE,
                  "%s: '%s' is written by the process that this one was forked from; only that "
                  "one can add to it",
                  call, path);
    message_line(&k->messages, "make a file of its own after the fork");
    message_send(&k->messages);
    api_note_error(k);
    return k->messages.status;
}

static kata_status write_now(api_field_list *list, const io_output *output, messages *m)
{
    const io_source source = api_source(list);
    io_behind_wait(list->field[0]->k->behind); /* files get what they are given in this order */
    return output->write(output->data, &source, m);
}

/* The first rank's part; what the output owns is freed, at once or by the thread. */
static kata_status write_on_first(api_field_list *list, const io_output *output, bool behind)
{
    kata *k = list->field[0]->k;
    kata_status status = io_behind_take_error(k->behind, &k->messages);
    if (!status && behind && api_output_can_wait(k)) {
        if (io_behind_begin(k->behind, output)) {
            api_copy_values(list, k->behind);
            io_behind_end(k->behind);
            return k->messages.status;
        }
        status = api_no_memory(k);
    }
    if (!status) status = write_now(list, output, &k->messages);
    output->free(output->data);
    return status;
}

kata_status api_output_behind(kata *k, const io_output *output)
{
    if (api_output_can_wait(k)) {
        if (!io_behind_begin(k->behind, output)) return api_no_memory(k);
        io_behind_end(k->behind);
        return KATA_OK;
    }
    io_behind_wait(k->behind);
    kata_status status = output->write(output->data, NULL, &k->messages);
    output->free(output->data);
    return status;
}

kata_status api_output_write(api_field_list *list, const io_output *output, bool behind)
{
    kata *k = list->field[0]->k;
    kata_status status = api_begin_values(list);
    if (status || exec_rank(&k->exec) > 0) output->free(output->data);
    if (status) return status;
    if (exec_rank(&k->exec) == 0) status = write_on_first(list, output, behind);
    api_end_values(list);
    k->writes_behind = k->writes_behind || behind;
    return exec_agree(&k->exec, list->call, status, &k->messages);
}
