/* Names of files that keep what was measured on a processor. */
#include "machine/machine.h"

void machine_note_name(text *out, const char *figure, int threads)
{
    text machine = {0};
    char hash[33];
    machine_cpu_key(&machine);
    text_add(&machine, " threads %d", threads);
    hash_hex(text_get(&machine), machine.length, hash);
    text_add(out, "%s-%s", figure, hash);
    out->failed |= machine.failed;
    text_free(&machine);
}
