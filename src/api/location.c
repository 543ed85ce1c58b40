/* Where in the program applications are written: named by kata_here before each, put before
 * messages. */
#include "api/apply.h"

#include <stdio.h>
#include <string.h>

const kata_kernel *kata_here(const kata_kernel *kernel, const char *file, int line)
{
    if (!kernel) return NULL;
    kata *k = kernel->module->k;
    if (!file) file = "";
    if (k->here_given != file && strcmp(k->here_file, file) != 0) {
        snprintf(k->here_file, sizeof k->here_file, "%s", file);
        k->here_copy = NULL;
    }
    k->here_given = file;
    k->here_line = line;
    return kernel;
}

const char *api_location(const api_application *a)
{
    char *location = a->k->location;
    location[0] = '\0';
    if (a->file) snprintf(location, sizeof a->k->location, "%s:%d: ", a->file, a->line);
    return location;
}

bool api_location_copy(const api_application *a)
{
    kata *k = a->k;
    chain *c = &k->chain;
    k->here_copy = chain_keep_text(c, a->file);
    k->here_copied_when = c->emptied;
    return k->here_copy;
}
