/* The order of levels, along one dimension or several. */
#include "ir/kernel.h"

void ir_set_order(ir_kernel *kernel, const ir_direction order[3])
{
    kernel->ordered = 0;
    for (int d = 0; d < 3; d++) {
        kernel->order[d] = order[d];
        if (order[d]) kernel->ordered = d;
    }
    kernel->direction = kernel->order[kernel->ordered];
}

bool ir_orders_several(const ir_kernel *kernel)
{
    bool several = false;
    for (int d = 0; d < kernel->ordered; d++) several = several || kernel->order[d];
    return several;
}

int ir_level_after(const ir_kernel *kernel, const int32_t offset[3])
{
    for (int d = 2; d >= 0; d--)
        if (kernel->order[d] && offset[d])
            return (offset[d] > 0) == (kernel->order[d] == IR_FORWARD) ? 1 : -1;
    return 0;
}

/* The dimension of a loop that is dimension d of the kernel's text. */
static int axis_of(const ir_kernel *kernel, int d) { return kernel->of_mesh ? kernel->axis[d] : d; }

void ir_print_ordered(text *out, const ir_kernel *kernel)
{
    int count = 0, left = 0;
    for (int d = 0; d < 3; d++) left += kernel->order[d] != IR_UNORDERED;
    for (int d = 0; d < 3; d++) {
        if (!kernel->order[axis_of(kernel, d)]) continue;
        const char *before = !count++ ? "" : left > 1 ? ", " : " and ";
        text_add(out, "%s%c", before, "xyz"[d]);
        left--;
    }
}

/* "forward(x, y)", or "forward(x) backward(y)" where directions differ. */
static void print_order(text *out, const ir_direction order[3])
{
    static const char *const names[] = {"", "forward", "backward"};
    int count = 0, last = 0;
    for (int d = 0; d < 3; d++) {
        if (!order[d]) continue;
        if (count && order[d] == order[last])
            text_add(out, ", %c", "xyz"[d]);
        else
            text_add(out, "%s%s(%c", count ? ") " : "", names[order[d]], "xyz"[d]);
        last = d;
        count++;
    }
    if (count) text_add(out, ")");
}

void ir_print_order_with(text *out, const ir_kernel *kernel, const int32_t offset[3])
{
    ir_direction order[3];
    for (int d = 0; d < 3; d++) {
        const int axis = axis_of(kernel, d);
        order[d] = kernel->order[axis];
        if (!order[d] && offset[axis]) order[d] = IR_FORWARD;
    }
    print_order(out, order);
}
