/* Which ranges suit a kernel that changes a field in place. */
#ifndef IR_IN_PLACE_H
#define IR_IN_PLACE_H

#include "ir/ir.h"

/* A note where no whole range without colours suits a kernel, because points read or write what
 * other points write; nothing otherwise. */
void ir_print_in_place(text *out, const ir_kernel *kernel);
/* The least number of colours such that no two points of one colour meet; 0: none is known. */
int ir_in_place_colors(const ir_kernel *kernel);
/* Prints an order in which no points meet at a parameter that a kernel without an order changes in
 * place; nothing, and false, if there is none. */
bool ir_print_order_in_place(text *out, const ir_kernel *kernel, int param);

#endif
