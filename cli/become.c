#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int become(const char *verb, char **words, int count)
{
    char **argv = calloc((size_t)count + 1, sizeof *argv);
    if (argv) {
        for (int i = 0; i < count; i++) argv[i] = words[i];
        execvp(words[0], argv);
    }
    fprintf(stderr, "%s: cannot run %s: %s\n", verb, words[0], strerror(errno));
    free(argv);
    return 127;
}
