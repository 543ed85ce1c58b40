/* The texts of tests/misuse; with KATA_FIXTURES_UPDATE=1 they are written instead of compared. */
#ifndef MISUSE_TEXTS_H
#define MISUSE_TEXTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_text(const char *name, const char *message)
{
    char path[1024], expected[4096] = "";
    snprintf(path, sizeof path, "%s/tests/misuse/%s.txt", getenv("KATA_SOURCE"), name);
    bool update = getenv("KATA_FIXTURES_UPDATE") != NULL;
    FILE *file = fopen(path, update ? "w" : "r");
    assert_non_null(file);
    if (update)
        fprintf(file, "%s\n", message);
    else
        expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (update) return;
    size_t length = strlen(expected);
    if (length && expected[length - 1] == '\n') expected[length - 1] = '\0';
    assert_string_equal(message, expected);
}

#endif
