/* See elementary_apply.h. Compiled as generated kernels are. */
#define ELEMENTARY_TABLE elementary_fast
#include "elementary_apply.h"
