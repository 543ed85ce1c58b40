/* Which devices there are, and opening one. */
#include "device/device_private.h"

#include <stdlib.h>
#include <string.h>

static const device_calls *const languages[] = {&device_cuda, &device_opencl};

/* ---- names ----------------------------------------------------------------------------------- */

/* A name that was read: the language, NULL for any; and the number, -1 for none. */
typedef struct wish {
    const device_calls *language;
    int number;
} wish;

static bool read_wish(const char *name, wish *w)
{
    *w = (wish){NULL, -1};
    if (strcmp(name, "any") == 0) return true;
    size_t length = strcspn(name, ":");
    int64_t number;
    for (size_t i = 0; i < COUNT_OF(languages); i++)
        if (strlen(languages[i]->word) == length && memcmp(name, languages[i]->word, length) == 0)
            w->language = languages[i];
    if (!w->language || !name[length]) return w->language != NULL;
    const char *digits = name + length + 1;
    if (strspn(digits, "0123456789") != strlen(digits)) return false;
    if (!parse_integer(digits, 0, INT32_MAX, &number)) return false;
    w->number = (int)number;
    return true;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The number of the device to open; -1 with the reason. */
static int settle_number(device *d, int number, int turn, text *why)
{
    const device_calls *language = d->calls;
    int count = language->count(why);
    d->turns = 1;
    if (!count) return -1;
    if (number >= count) {
        text_add(why, "this machine has %d: ", count);
        for (int i = 0; i < count && i < 4; i++)
            text_add(why, "%s\"%s:%d\"", i ? ", " : "", language->word, i);
        if (count > 4) text_add(why, ", ...");
        return -1;
    }
    if (number < 0) number = language->choose(turn, &d->turns, why);
    return number < 0 || !language->describe(number, &d->facts, why) ? -1 : number;
}

static device *open_one(const device_calls *language, int number, int turn, text *why)
{
    device *d = calloc(1, sizeof *d);
    if (!d) {
        text_add(why, "out of memory");
        return NULL;
    }
    d->calls = language;
    number = settle_number(d, number, turn, why);
    if (number >= 0 && language->open(d, number, why)) return d;
    text_free(&d->error);
    free(d);
    return NULL;
}

/* The first device of any language. */
static device *open_any(int turn, messages *m)
{
    text why[COUNT_OF(languages)] = {0};
    device *d = NULL;
    for (size_t i = 0; !d && i < COUNT_OF(languages); i++)
        d = open_one(languages[i], -1, turn, &why[i]);
    if (!d) {
        message_begin(m, KATA_ERROR_DEVICE, "there is no device");
        for (size_t i = 0; i < COUNT_OF(languages); i++)
            message_line(m, "%s: %s", languages[i]->word, text_get(&why[i]));
        message_send(m);
    }
    for (size_t i = 0; i < COUNT_OF(languages); i++) text_free(&why[i]);
    return d;
}

device *device_open(const char *name, int turn, messages *m)
{
    wish w;
    if (!read_wish(name, &w)) {
        message_fail(m, KATA_ERROR_DEVICE,
                     "there is no device \"%s\": a device is \"cuda\", \"cuda:1\", \"opencl\", "
                     "\"opencl:1\", \"any\" or \"none\"; kata info lists those of this machine",
                     name);
        return NULL;
    }
    if (!w.language) return open_any(turn, m);
    text why = {0};
    device *d = open_one(w.language, w.number, turn, &why);
    if (!d)
        message_fail(m, KATA_ERROR_DEVICE, "device \"%s\" cannot be used: %s", name,
                     text_get(&why));
    text_free(&why);
    return d;
}

void device_close(device *d)
{
    if (!d) return;
    d->calls->close(d);
    text_free(&d->error);
    free(d);
}

const device_facts *device_facts_of(const device *d) { return &d->facts; }
int device_turns(const device *d) { return d->turns; }
const char *device_compiler(const device *d) { return d->compiler; }

int device_list(device_listed *list, int room)
{
    int found = 0;
    for (size_t i = 0; i < COUNT_OF(languages); i++) {
        text why = {0};
        int count = languages[i]->count(&why);
        for (int n = 0; n < count && found < room; n++) {
            device_listed *l = &list[found];
            if (!languages[i]->describe(n, &l->facts, &why)) continue;
            snprintf(l->name, sizeof l->name, "%s:%d", languages[i]->word, n);
            found++;
        }
        text_free(&why);
    }
    return found;
}
