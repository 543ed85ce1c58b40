/* The locale "C", in which numbers have a point, whatever locale the program has set. */
#include "base/base.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Made once for the process. NULL when memory is out. */
static locale_t find(void)
{
    static _Atomic(locale_t) made;
    locale_t found = atomic_load(&made), none = (locale_t)0;
    if (found) return found;
    found = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!found || atomic_compare_exchange_strong(&made, &none, found)) return found;
    freelocale(found);
    return none;
}

bool plain_locale_enter(locale_t *around)
{
    locale_t plain = find();
    *around = plain ? uselocale(plain) : (locale_t)0;
    return plain;
}

void plain_locale_leave(locale_t around)
{
    if (around) uselocale(around);
}

double parse_real(const char *text, char **end)
{
    locale_t around;
    plain_locale_enter(&around);
    double x = strtod(text, end);
    plain_locale_leave(around);
    return x;
}
