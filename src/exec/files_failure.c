/* What is said of files that cannot be moved. They have no names: the field and the folder are
 * named.
 */
#include "exec/on_files.h"

#include <string.h>

/* A name that the program knows the field of a file by. */
static const chain_binding *find_field(const stream_run *run, const port_file *file)
{
    for (size_t l = 0; l < run->c->count; l++)
        for (int p = 0; p < run->c->loops[l].kernel->param_count; p++) {
            const chain_binding *b = &run->c->loops[l].bindings[p];
            if (b->slot && b->slot->array && b->slot->array->file == file) return b;
        }
    return NULL;
}

bool files_report_move(stream_run *run)
{
    port_failure failure;
    if (!port_failed(run->context->files->port, &failure)) return false;
    const chain_binding *b = find_field(run, failure.file);
    const char *folder = b ? store_pool_folder(b->slot->pool) : NULL;
    text where = {0};
    text_add(&where, "%zu bytes at %zu of its file in the folder '%s'", failure.bytes,
             failure.place, folder ? folder : "");
    const char *name = b ? b->name : "";
    if (failure.error == PORT_DAMAGED)
        run->status = message_fail(run->m, KATA_ERROR_FILE,
                                   "field '%s' is damaged on the disk: %s are not what was written "
                                   "there",
                                   name, text_get(&where));
    else
        run->status = message_fail(run->m, KATA_ERROR_FILE, "field '%s' cannot be %s: %s: %s", name,
                                   failure.out ? "written to the disk" : "read from the disk",
                                   text_get(&where), strerror(failure.error));
    text_free(&where);
    return false;
}
