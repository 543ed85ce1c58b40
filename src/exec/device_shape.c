/* How threads of a device share the points of loops. KATA_DEVICE_SHAPE asks for other shapes than
 * those that are chosen: "x=64 y=4 vector=1 chunk=1", to see what each is worth, and to test all.
 */
#include "exec/on_device.h"

#include <stdlib.h>
#include <string.h>

static bool is_power_of_two(int64_t n) { return n > 0 && !(n & (n - 1)); }

static int64_t *member_of(device_asked *asked, const char *word, size_t length)
{
    struct {
        const char *name;
        int64_t *value;
    } members[] = {{"steps", &asked->steps}, {"rows", &asked->rows},   {"x", &asked->x},
                   {"y", &asked->y},         {"z", &asked->z},         {"vector", &asked->vector},
                   {"chunk", &asked->chunk}, {"along", &asked->along}, {"fetch", &asked->fetch}};
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (strlen(members[i].name) == length && !memcmp(members[i].name, word, length))
            return members[i].value;
    return NULL;
}

/* A section of loops at once. */
static bool is_right_section(const device_asked *a)
{
    enum { BITS = 31 };
    return (a->steps == 3 || a->steps == 5) && !a->z && !a->along && a->vector <= 4 &&
           a->vector != 3 && larger(a->x, 1) * larger(a->y, 1) <= DEVICE_THREADS &&
           larger(a->rows, 1) * larger(a->vector, 1) <= BITS && a->fetch <= 1;
}

/* A tile of a loop that reads far. */
static bool is_right_tile(const device_asked *a)
{
    return !a->z && !a->along && a->vector <= 4 && a->vector != 3 && a->rows <= 8 &&
           larger(a->x, 1) * larger(a->y, 1) <= DEVICE_THREADS;
}

static bool is_right(const device_asked *a)
{
    if (a->steps) return is_right_section(a);
    if (a->fetch) return false;
    if (a->rows) return is_right_tile(a);
    int64_t threads = larger(a->x, 1) * larger(a->y, 1) * larger(a->z, 1);
    return (!a->x || is_power_of_two(a->x)) && (!a->y || is_power_of_two(a->y)) &&
           (!a->z || is_power_of_two(a->z)) && threads <= DEVICE_THREADS && a->z <= 64 &&
           (!a->vector || a->vector == 1 || a->vector == 2 || a->vector == 4) && a->chunk <= 16 &&
           a->along <= 2;
}

kata_status device_read_shape(device_asked *asked, messages *m)
{
    const char *words = environment_get("KATA_DEVICE_SHAPE");
    bool right = true;
    for (const char *w = words; w && *w && right;) {
        size_t all = strcspn(w, " "), name = strcspn(w, "=");
        char value[24] = "";
        int64_t *member = name < all ? member_of(asked, w, name) : NULL;
        if (member && all - name - 1 < sizeof value) memcpy(value, w + name + 1, all - name - 1);
        right = member && parse_integer(value, 1, 1024, member);
        w += all;
        w += strspn(w, " ");
    }
    if (right && is_right(asked)) return KATA_OK;
    return message_fail(
        m, KATA_ERROR_ARGUMENT,
        "the environment variable KATA_DEVICE_SHAPE is '%s', not some of x=32 y=8 "
        "z=1 (threads of a group: powers of two, at most 1024 together and 64 along z), vector=1 "
        "(2 or 4), chunk=4 (at most 16) and along=2 (1: y, 2: z); or, of loops at once, steps=3 "
        "(or 5) with "
        "some of x=32 y=8 vector=1 rows=4 (points along y, at most 31 of a thread), chunk=128 "
        "(planes) and fetch=1 (planes are fetched ahead, into shared memory); or, in tiles of "
        "loops that read far, rows=2 (at most 8) with some of x=16 y=8 "
        "vector=4 and chunk=128",
        words);
}

codegen_shape device_shape_of(const device_loop *l, const codegen_loop *as, bool wide)
{
    const device_asked *asked = &l->d->asked;
    codegen_shape shape = codegen_choose_shape(as, wide);
    bool reduces = codegen_device_reduces(as), ordered = as->kernel->direction;
    if (asked->steps || asked->rows) return shape;
    int64_t threads[3] = {asked->x, asked->y, asked->z};
    for (int d = 0; d < 3 && !reduces && !ordered; d++)
        if (threads[d]) shape.threads[d] = (int)threads[d];
    for (int d = 2; d >= 0; d--) /* those that nobody has asked for make room */
        while (!threads[d] && shape.threads[d] > 1 &&
               shape.threads[0] * shape.threads[1] * shape.threads[2] > DEVICE_THREADS)
            shape.threads[d] /= 2;
    if (asked->vector) codegen_change_vector(as, &shape, (int)asked->vector);
    if (asked->chunk) codegen_change_chunk(as, &shape, (int)asked->chunk, (int)asked->along);
    return shape;
}
