/* What the files of store share. */
#ifndef STORE_POOL_H
#define STORE_POOL_H

#include "store/store.h"

/* At least so many bytes, aligned to lines; NULL when memory is out. *zero: all of them are.
 * Otherwise an array had them before. */
void *store_pool_take(struct store_pool *pool, size_t bytes, bool *zero);
/* Whether an array of so many bytes goes to a file; then *file is it, or NULL if it cannot be had.
 */
bool store_pool_goes_far(struct store_pool *pool, size_t bytes);
/* Whether one that is in memory is to be moved to a file, as others came that need more. */
bool store_pool_sends_away(struct store_pool *pool, size_t bytes);
/* `plane`: bytes, see port_file_new. */
struct port_file *store_pool_file(struct store_pool *pool, size_t bytes, size_t plane);
/* What moves to and from files are multiples of: port_unit of the folder. */
int64_t store_pool_unit(struct store_pool *pool);
/* Why the latest file could not be had, and the folder; NULL: it could. */
const char *store_pool_why(const struct store_pool *pool, const char **folder);
/* Memory for rings; NULL when memory is out. */
port_rings *store_pool_rings(struct store_pool *pool);
/* array.c: as store_array_make, in memory or in a file; `like` has a pool, for files with a limit.
 */
store_array *store_array_make_at(const store_array *like, kata_layout layout, bool zero,
                                 chain_home home);
/* The layout of an array that was made. */
kata_layout store_array_layout(const store_array *a);
/* So many bytes of addresses, which nobody may touch; NULL when the system has none. */
void *store_pool_addresses(size_t bytes);
void store_pool_forget_addresses(void *addresses, size_t bytes);
/* Takes back what store_pool_take gave for so many bytes. */
void store_pool_return(struct store_pool *pool, void *memory, size_t bytes);
/* Widens a box by what kernels are expected to read around fields of so many components. */
void store_pool_widen(const struct store_pool *pool, int components, int dimension, grid_box *box);

#endif
