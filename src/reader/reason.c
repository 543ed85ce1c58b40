/* Why a request failed: the first reason that is met goes into the reply. */
#include "reader/reader_hdf5.h"

#include <stdarg.h>
#include <stdio.h>

bool reader_fail(reader *r, const char *format, ...)
{
    va_list list;
    if (r->reason[0]) return false;
    va_start(list, format);
    vsnprintf(r->reason, sizeof((reader_reply *)0)->reason, format, list);
    va_end(list);
    for (char *c = r->reason; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return false;
}
