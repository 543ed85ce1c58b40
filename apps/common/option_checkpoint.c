/* Checkpoints as a command line asks for them. */
#include "common/common.h"

#include <signal.h>

int options_check_checkpoints(const options *o, const checkpoints *c)
{
    const char *name = c->resume    ? "--resume"
                       : c->steps   ? "--checkpoint-steps"
                       : c->minutes ? "--checkpoint-minutes"
                                    : NULL;
    if (c->file || !name) return 0;
    return options_wrong(o, "%s needs --checkpoint FILE.h5", name);
}

int64_t options_resume(kata *k, const checkpoints *c)
{
    const double usual = 10;
    if (!c->file) return 0;
    kata_checkpoint(k, c->file, .steps = c->steps,
                    .minutes = c->minutes || c->steps ? c->minutes : usual, .signal = SIGUSR1);
    return c->resume ? kata_resume(k) : 0;
}
