/* A loop on a device, with all that it needs. */
#include "exec/on_device.h"

kata_status device_run_one(const device_loop *l)
{
    exec_context *context = l->context;
    kata_status status = KATA_OK;
    double start = observe_meter_now(context->meter);
    l->d->loops++;
    if (device_has_checked(l->d, l->loop)) status = device_settle(l);
    if (!status && device_awaits(l->d, l->loop)) status = device_fetch_reductions(l);
    if (!status && !grid_box_is_empty(&l->loop->box)) status = device_bring_fields(l);
    if (!status) status = device_run_loop(l);
    const bool waits = context->meter && context->meter->waits;
    if (!status && waits && !device_wait(l->d->device, DEVICE_WORK))
        status = device_failed(l, "failed in");
    if (!status)
        observe_meter_note(context->meter, l->loop,
                           waits ? observe_meter_now(context->meter) - start : 0);
    return status;
}
