/* Which ranges suit a kernel that changes a field in place. */
#ifndef IR_IN_PLACE_H
#define IR_IN_PLACE_H

#include "ir/ir.h"

/* A note where no whole range without colours suits a kernel, because points read or write what
 * other points write; nothing otherwise. */
void ir_print_in_place(text *out, const ir_kernel *kernel);

#endif
