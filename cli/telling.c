/* Lines for people, or members of a JSON object. */
#include "telling.h"

void tell_begin(telling *t, const char *name, const char *member)
{
    if (t->json)
        printf("%s\"%s\": ", t->begun ? ", " : "{", member);
    else
        printf("%-12s ", name);
    t->begun = true;
}

void tell_end(const telling *t)
{
    if (!t->json) putchar('\n');
}

void tell(telling *t, const char *name, const char *member, const char *value)
{
    tell_begin(t, name, member);
    if (t->json)
        json_text(stdout, value);
    else
        printf("%s", value && *value ? value : "none");
    tell_end(t);
}

void tell_number(telling *t, const char *name, const char *member, int number)
{
    tell_begin(t, name, member);
    printf("%d", number);
    tell_end(t);
}

void tell_amount(int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    double amount = (double)bytes;
    for (; amount >= 1024 && unit + 1 < COUNT_OF(units); unit++) amount /= 1024;
    if (bytes > 0)
        printf("%.4g %s", amount, units[unit]);
    else
        printf("none");
}

void tell_bytes(telling *t, const char *name, const char *member, int64_t bytes)
{
    tell_begin(t, name, member);
    if (t->json)
        printf("%lld", (long long)bytes);
    else
        tell_amount(bytes);
    tell_end(t);
}

void tell_rate(const telling *t, const char *name, const char *member, const kata_rate *rate,
               const char *unit)
{
    if (t->json)
        printf("\"%s\": {\"best\": %.6g, \"median\": %.6g}", member, rate->best, rate->median);
    else if (rate->best > 0)
        printf("%-26s %9.4g %8.4g %s\n", name, rate->best * 1e-9, rate->median * 1e-9, unit);
    else
        printf("%-26s %9s\n", name, "none");
}
