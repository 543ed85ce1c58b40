/* What the files of store share. */
#ifndef STORE_POOL_H
#define STORE_POOL_H

#include "store/store.h"

/* At least so many bytes, aligned to lines; NULL when memory is out. *zero: all of them are.
 * Otherwise an array had them before. */
void *store_pool_take(struct store_pool *pool, size_t bytes, bool *zero);
/* Takes back what store_pool_take gave for so many bytes. */
void store_pool_return(struct store_pool *pool, void *memory, size_t bytes);
/* Widens a box by what kernels are expected to read around fields of so many components. */
void store_pool_widen(const struct store_pool *pool, int components, int dimension, grid_box *box);

#endif
