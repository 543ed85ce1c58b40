/* Operations: one row per operation, with all its properties. docs/architecture.md says how to add
 * a function of kernels.
 *
 * Every operation is defined for every operand: integers wrap, x/0 and x%0 are 0, shift counts are
 * taken modulo the width, floating point to integer saturates and takes NaN to 0.
 * docs/language.md has the table. */
#ifndef IR_OPERATION_H
#define IR_OPERATION_H

#include "ir/type.h"

/* How a function is computed. */
typedef enum ir_function {
    IR_FUNCTION_NONE,         /* kernels cannot call it */
    IR_FUNCTION_INSTRUCTION,  /* by few instructions, or code of arithmetic.h */
    IR_FUNCTION_ROUNDING,     /* by a few lines of elementary.h */
    IR_FUNCTION_ELEMENTARY,   /* by more code of elementary.h */
    IR_FUNCTION_TRIGONOMETRIC /* by code of elementary_trig.h */
} ir_function;

/* Kinds of operations, and the words for them in `kata explain`. From ADD to FUNCTION they are
 * floating-point operations, except that COMPARE holds comparisons, choices, minima and maxima of
 * any type. FUNCTION: no instruction computes it. OTHER: conversions, signs and roundings. */
#define IR_COST_OPERATIONS(X)                                                                      \
    X(ADD, "add")                                                                                  \
    X(MUL, "mul")                                                                                  \
    X(FMA, "fma")                                                                                  \
    X(COMPARE, "compare/select")                                                                   \
    X(DIV, "div")                                                                                  \
    X(SQRT, "sqrt")                                                                                \
    X(FUNCTION, "function")                                                                        \
    X(INTEGER, "integer")                                                                          \
    X(OTHER, "other")

typedef enum ir_operation_kind {
#define X(name, ...) IR_COST_##name,
    IR_COST_OPERATIONS(X)
#undef X
        IR_COST_OPERATION_COUNT
} ir_operation_kind;

/* How C computes an operation on operands x, y and z of one type.
 *   UNARY(-)         -x
 *   BINARY(+)        x + y
 *   COMPARISON(<)    x < y, which is a bool
 *   BUILTIN(sqrt, x) __builtin_sqrt(x) of double, __builtin_sqrtf(x) of float
 *   KATA(exp, x)     kata_exp_f64(x) of double, and so on: functions of arithmetic.h, elementary.h
 *                    and elementary_trig.h. KATA_I64: there is only one of long
 *   CHOICE(0, 1)     x < y ? x : y, with the numbers of the operands compared
 *   NONE             the operation takes no such operands, or needs more than their values */
typedef enum ir_form {
    IR_FORM_NONE,
    IR_FORM_UNARY,
    IR_FORM_BINARY,
    IR_FORM_COMPARISON,
    IR_FORM_BUILTIN,
    IR_FORM_KATA,
    IR_FORM_CHOICE
} ir_form;

typedef struct ir_spelling {
    ir_form form;
    const char *symbol; /* the operator, or the function's name without type */
    int compared[2];    /* CHOICE */
} ir_spelling;

/* Columns:
 *   text       the name in dumps of graphs, and in kernels if `function` is not NONE (there also
 *              with an f at its end)
 *   operands   their number
 *   types      the operand types allowed: b(ool), u(char), i(nteger), l(ong), f(loating). All
 *              operands have one type, and so has the result. Exceptions: comparisons give bool,
 *              SELECT takes a bool first, CONVERT takes any type
 *   function   see ir_function
 *   cost       on floating-point operands; operations on integers cost INTEGER, except COMPARE
 *              and conversions
 *   commutes   whether the first two operands can be exchanged
 *   bool, integer, floating   how C computes it on operands of such types
 * min(x,y) is x < y ? x : y; max(x,y) is y < x ? x : y.
 * name     text     operands types  function     cost     commutes  bool   integer      floating */
#define IR_OPS(X)                                                                                  \
    X(CONST, "const", 0, "buif", NONE, OTHER, false, NONE, NONE, NONE)                             \
    /* a uniform parameter: param, element */                                                      \
    X(NUMBER, "number", 0, "buif", NONE, OTHER, false, NONE, NONE, NONE)                           \
    /* ix, iy, iz and nx, ny, nz: I64 */                                                           \
    X(INDEX, "index", 0, "i", NONE, OTHER, false, NONE, NONE, NONE)                                \
    X(SIZE, "size", 0, "i", NONE, OTHER, false, NONE, NONE, NONE)                                  \
    /* a field: param, component, offset */                                                        \
    X(LOAD, "load", 0, "buif", NONE, OTHER, false, NONE, NONE, NONE)                               \
    /* a field at an index, of I64, along one dimension: the index nearest to it that is inside */ \
    X(LEVEL, "level", 1, "buif", NONE, OTHER, false, NONE, NONE, NONE)                             \
    /* an element of a table of value.i32 elements: the number, of I64, nearest to one of them. Of \
     * parameter `param`, or of constant table number `element` - 1 where that is not 0 */         \
    X(ELEMENT, "element", 1, "buif", NONE, OTHER, false, NONE, NONE, NONE)                         \
    X(NEG, "neg", 1, "if", NONE, OTHER, false, NONE, KATA(neg, x), UNARY(-))                       \
    X(NOT, "not", 1, "bi", NONE, INTEGER, false, UNARY(!), UNARY(~), NONE)                         \
    X(CONVERT, "convert", 1, "buif", NONE, OTHER, false, NONE, NONE, NONE)                         \
    /* rounded to the storage type of a field: param */                                            \
    X(STORED, "stored", 1, "buif", NONE, OTHER, false, NONE, NONE, NONE)                           \
    /* Of a loop that is not unrolled (param): the value of variable `element` at the start of a   \
     * round, in the first one arg[0]. */                                                          \
    X(CARRIED, "carried", 1, "buif", NONE, OTHER, false, NONE, NONE, NONE)                         \
    /* Its rounds: variable arg[1], a CARRIED, is arg[2] in the next one; so are those of arg[0],  \
     * another CARRY, or the condition under which a round runs. */                                \
    X(CARRY, "carry", 3, "buif", NONE, OTHER, false, NONE, NONE, NONE)                             \
    /* The value of variable arg[1] once the rounds of arg[0], the last CARRY, have run. */        \
    X(AFTER, "after", 2, "buif", NONE, OTHER, false, NONE, NONE, NONE)                             \
    X(ADD, "add", 2, "if", NONE, ADD, true, NONE, KATA(add, x, y), BINARY(+))                      \
    X(SUB, "sub", 2, "if", NONE, ADD, false, NONE, KATA(sub, x, y), BINARY(-))                     \
    X(MUL, "mul", 2, "if", NONE, MUL, true, NONE, KATA(mul, x, y), BINARY(*))                      \
    X(DIV, "div", 2, "if", NONE, DIV, false, NONE, KATA(div, x, y), BINARY(/))                     \
    X(REM, "rem", 2, "i", NONE, INTEGER, false, NONE, KATA(rem, x, y), NONE)                       \
    X(AND, "and", 2, "bi", NONE, INTEGER, true, BINARY(&), BINARY(&), NONE)                        \
    X(OR, "or", 2, "bi", NONE, INTEGER, true, BINARY(|), BINARY(|), NONE)                          \
    X(XOR, "xor", 2, "bi", NONE, INTEGER, true, BINARY(^), BINARY(^), NONE)                        \
    X(SHL, "shl", 2, "i", NONE, INTEGER, false, NONE, KATA(shl, x, y), NONE)                       \
    X(SHR, "shr", 2, "i", NONE, INTEGER, false, NONE, KATA(shr, x, y), NONE)                       \
    X(EQ, "eq", 2, "bif", NONE, COMPARE, true, COMPARISON(==), COMPARISON(==), COMPARISON(==))     \
    X(NE, "ne", 2, "bif", NONE, COMPARE, true, COMPARISON(!=), COMPARISON(!=), COMPARISON(!=))     \
    X(LT, "lt", 2, "if", NONE, COMPARE, false, NONE, COMPARISON(<), COMPARISON(<))                 \
    X(LE, "le", 2, "if", NONE, COMPARE, false, NONE, COMPARISON(<=), COMPARISON(<=))               \
    X(SELECT, "select", 3, "buif", NONE, COMPARE, false, NONE, NONE, NONE)                         \
    /* smaller and greater in the total order of reductions */                                     \
    X(LEAST, "least", 2, "if", NONE, COMPARE, false, NONE, KATA(least, x, y), KATA(least, x, y))   \
    X(GREATEST, "greatest", 2, "if", NONE, COMPARE, false, NONE, KATA(greatest, x, y),             \
      KATA(greatest, x, y))                                                                        \
    X(MIN, "min", 2, "if", INSTRUCTION, COMPARE, false, NONE, CHOICE(0, 1), CHOICE(0, 1))          \
    X(MAX, "max", 2, "if", INSTRUCTION, COMPARE, false, NONE, CHOICE(1, 0), CHOICE(1, 0))          \
    X(ABS, "abs", 1, "if", INSTRUCTION, OTHER, false, NONE, KATA(abs, x), BUILTIN(fabs, x))        \
    /* also a sum with a product of the same type as one operand */                                \
    X(FMA, "fma", 3, "f", INSTRUCTION, FMA, true, NONE, NONE, BUILTIN(fma, x, y, z))               \
    X(SQRT, "sqrt", 1, "f", INSTRUCTION, SQRT, false, NONE, NONE, BUILTIN(sqrt, x))                \
    X(FABS, "fabs", 1, "f", INSTRUCTION, OTHER, false, NONE, NONE, BUILTIN(fabs, x))               \
    X(FLOOR, "floor", 1, "f", INSTRUCTION, OTHER, false, NONE, NONE, BUILTIN(floor, x))            \
    X(CEIL, "ceil", 1, "f", INSTRUCTION, OTHER, false, NONE, NONE, BUILTIN(ceil, x))               \
    X(TRUNC, "trunc", 1, "f", INSTRUCTION, OTHER, false, NONE, NONE, BUILTIN(trunc, x))            \
    X(RINT, "rint", 1, "f", INSTRUCTION, OTHER, false, NONE, NONE, BUILTIN(rint, x))               \
    X(ROUND, "round", 1, "f", ROUNDING, FUNCTION, false, NONE, NONE, KATA(round, x))               \
    X(COPYSIGN, "copysign", 2, "f", INSTRUCTION, OTHER, false, NONE, NONE, KATA(copysign, x, y))   \
    X(FMIN, "fmin", 2, "f", INSTRUCTION, COMPARE, false, NONE, NONE, KATA(fmin, x, y))             \
    X(FMAX, "fmax", 2, "f", INSTRUCTION, COMPARE, false, NONE, NONE, KATA(fmax, x, y))             \
    X(FMOD, "fmod", 2, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(fmod, x, y))             \
    X(HYPOT, "hypot", 2, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(hypot, x, y))          \
    X(EXP, "exp", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(exp, x))                   \
    X(EXP2, "exp2", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(exp2, x))                \
    X(EXPM1, "expm1", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(expm1, x))             \
    X(LOG, "log", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(log, x))                   \
    X(LOG2, "log2", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(log2, x))                \
    X(LOG10, "log10", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(log10, x))             \
    X(LOG1P, "log1p", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(log1p, x))             \
    X(POW, "pow", 2, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(pow, x, y))                \
    X(SIN, "sin", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(sin, x))                \
    X(COS, "cos", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(cos, x))                \
    X(TAN, "tan", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(tan, x))                \
    X(ASIN, "asin", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(asin, x))             \
    X(ACOS, "acos", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(acos, x))             \
    X(ATAN, "atan", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(atan, x))             \
    X(ATAN2, "atan2", 2, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(atan2, x, y))       \
    X(SINH, "sinh", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(sinh, x))             \
    X(COSH, "cosh", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(cosh, x))             \
    X(TANH, "tanh", 1, "f", TRIGONOMETRIC, FUNCTION, false, NONE, NONE, KATA(tanh, x))             \
    X(CBRT, "cbrt", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(cbrt, x))                \
    X(ERF, "erf", 1, "f", ELEMENTARY, FUNCTION, false, NONE, NONE, KATA(erf, x))                   \
    /* random bits: number y of the sequence with seed x */                                        \
    X(MIX, "mix", 2, "l", NONE, INTEGER, false, NONE, KATA_I64(mix, x, y), NONE)

typedef enum ir_op {
#define X(name, ...) IR_##name,
    IR_OPS(X)
#undef X
        IR_OP_COUNT
} ir_op;

typedef struct ir_op_info {
    const char *name;
    int operands;
    const char *types;
    ir_function function;
    ir_operation_kind cost;
    bool commutes;
    ir_spelling on_bool, on_integer, on_floating;
} ir_op_info;
extern const ir_op_info ir_ops[IR_OP_COUNT];

/* Whether an operation takes operands of a type. */
bool ir_op_takes(ir_op op, ir_type type);
/* How C computes an operation on operands of a type. */
const ir_spelling *ir_op_spelling(ir_op op, ir_type operand);

/* ---- evaluate.c ------------------------------------------------------------------------------ */

/* The result, of type `type`, of an operation on operands of type `operand` (of SELECT: the type of
 * the second). Not for CONST .. ELEMENT, STORED; CONVERT converts to `type`. */
ir_value ir_evaluate(ir_op op, ir_type type, ir_type operand, const ir_value *args);

/* ---- text of arithmetic.h, elementary.h and elementary_trig.h, for generated C --------------- */

extern const char ir_arithmetic_text[], ir_elementary_text[], ir_elementary_trig_text[];

#endif
