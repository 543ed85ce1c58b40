#include "ir/type.h"

const ir_type_info ir_types[IR_TYPE_COUNT] = {
#define X(name, text, c_name, suffix, bytes) {text, c_name, suffix, bytes},
    IR_TYPES(X)
#undef X
};
