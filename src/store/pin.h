/* Memory of arrays that a device copies from and to. */
#ifndef STORE_PIN_H
#define STORE_PIN_H

#include "store/store.h"

/* Pins an array's memory for the copies of a device, as far as the system allows, until it is moved
 * or freed: before the device is closed, and after all copies. */
void store_array_pin(store_array *a, device *d);
void store_array_unpin(store_array *a);

#endif
