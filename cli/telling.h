/* What `kata info` says: lines for people, or members of a JSON object. */
#ifndef CLI_TELLING_H
#define CLI_TELLING_H

#include "cli.h"

/* ---- telling.c ------------------------------------------------------------------------------- */

typedef struct telling {
    bool json, begun;
} telling;

/* Begins a line, or a member, whose value follows; the two have different names. */
void tell_begin(telling *t, const char *name, const char *member);
void tell_end(const telling *t);
void tell(telling *t, const char *name, const char *member, const char *value);
void tell_number(telling *t, const char *name, const char *member, int number);
void tell_bytes(telling *t, const char *name, const char *member, int64_t bytes);
/* "32 KiB", "1.5 GiB": in the largest unit that leaves at least 1; "none" for 0. */
void tell_amount(int64_t bytes);
/* A line of a table of rates, or a member of the present object. `unit`: of 1e9. */
void tell_rate(const telling *t, const char *name, const char *member, const kata_rate *rate,
               const char *unit);

/* ---- info_devices.c -------------------------------------------------------------------------- */

void tell_devices(telling *t, kata *k);
/* Measures all devices. One that cannot be measured is an error of its own, told and passed over.
 */
void tell_device_ceilings(telling *t, kata *k);

#endif
