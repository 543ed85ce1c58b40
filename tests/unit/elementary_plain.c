/* See elementary_apply.h. Compiled without optimisation, for the least common processor. */
#define ELEMENTARY_TABLE elementary_plain
#include "elementary_apply.h"
