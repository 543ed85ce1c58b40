/* replay FOLDER: gives each file of a folder to LLVMFuzzerTestOneInput, which ends the process when
 * something is wrong. */
/* Labels: hostile */
#include "base/base.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_FILE = 1 << 20 };

/* In memory of exactly its size, so that reading behind its end shows. */
static void replay(const char *path)
{
    char *data;
    size_t size;
    int error = file_read(path, LARGEST_FILE, &data, &size);
    if (error) {
        fprintf(stderr, "%s: %s\n", path, file_reason(error));
        exit(2);
    }
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) exit(2);
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        replay(path);
        count++;
    }
    closedir(folder);
    printf("%d texts replayed\n", count);
    return count == 0;
}
