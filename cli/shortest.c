#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

void number_words(char *words, size_t size, double x, bool is_float)
{
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(words, size, "%.*g", digits, x);
        double again = strtod(words, NULL);
        if (is_float ? (float)again == (float)x : again == x) return;
    }
}
