/* Generated C computes what ir_evaluate says, for every operation and type, in vectors and at the
 * ends of rows. Its text contains nothing that a kernel's author could have smuggled in. */
/* Labels: compiler slow */
#include "codegen/codegen.h"
#include "ir/build.h"
#include "jit/jit.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 91, MOST_KERNELS = 256, OPERANDS = 3, OUT = 3, PARAMS = 4 };

/* A kernel of one statement: d = op(a, b, c). */
typedef struct one_op {
    ir_kernel kernel;
    ir_param params[PARAMS];
    kata_type storage[PARAMS];
    ir_store store;
    ir_access accesses[OPERANDS];
    ir_op op;
    ir_type operand, result; /* of the operation; SELECT's first operand is a < b */
} one_op;

static one_op kernels[MOST_KERNELS];
static int kernel_count;

static ir_id add(one_op *k, ir_node node)
{
    ir_id id = ir_graph_add(&k->kernel.graph, &node);
    assert_true(id != 0);
    return id;
}

static ir_id load(one_op *k, int param)
{
    k->accesses[k->kernel.access_count++] = (ir_access){.param = param};
    ir_node node = {.op = IR_LOAD, .type = (uint8_t)k->operand, .param = param};
    return add(k, node);
}

/* Memory has no bool: 0 and 1 are stored as int. */
static ir_type in_memory(ir_type type) { return type == IR_BOOL ? IR_I32 : type; }

static one_op *start(ir_type operand, ir_type result)
{
    static const char *const names[PARAMS] = {"a", "b", "c", "d"};
    assert_true(kernel_count < MOST_KERNELS);
    one_op *k = &kernels[kernel_count++];
    *k = (one_op){.operand = operand, .result = result};
    for (int p = 0; p < PARAMS; p++) {
        ir_type type = p == OUT ? in_memory(result) : operand;
        k->params[p] = (ir_param){.name = names[p], .type = type, .count = 1};
        k->params[p].kind = p == OUT ? IR_PARAM_OUT : IR_PARAM_IN;
        k->storage[p] = ir_storage_of_type(in_memory(type));
    }
    k->kernel.name = "one";
    k->kernel.params = k->params;
    k->kernel.param_count = PARAMS;
    k->kernel.accesses = k->accesses;
    k->kernel.stores = &k->store;
    return k;
}

static void finish(one_op *k, ir_id value)
{
    if (k->result == IR_BOOL) {
        ir_node convert = {.op = IR_CONVERT, .type = IR_I32, .arg = {value}};
        value = add(k, convert);
    }
    k->store = (ir_store){.param = OUT, .value = value};
    k->kernel.store_count = 1;
    text key = {0};
    text_add(&key, "%d %d %d", (int)k->op, (int)k->operand, (int)k->result);
    hash_hex(key.data, key.length, k->kernel.hash);
    text_free(&key);
}

static void add_operation(ir_op op, ir_type operand, ir_type result)
{
    one_op *k = start(operand, result);
    ir_node node = {.op = (uint8_t)op, .type = (uint8_t)result, .param = op == IR_STORED ? OUT : 0};
    ir_id loaded[OPERANDS] = {load(k, 0), load(k, 1), load(k, 2)};
    for (int i = 0; i < ir_ops[op].operands; i++) node.arg[i] = loaded[i];
    if (op == IR_SELECT) {
        ir_node less = {.op = operand == IR_BOOL ? IR_NE : IR_LT, .type = IR_BOOL};
        less.arg[0] = loaded[0];
        less.arg[1] = loaded[1];
        node.arg[0] = add(k, less);
    }
    k->op = op;
    finish(k, add(k, node));
}

static void add_all_operations(void)
{
    kernel_count = 0;
    for (int op = IR_NEG; op < IR_OP_COUNT; op++) {
        if (op == IR_CARRIED || op == IR_CARRY || op == IR_AFTER) continue; /* see test_rounds.c */
        for (int type = 0; type < IR_TYPE_COUNT; type++) {
            bool comparison = op == IR_EQ || op == IR_NE || op == IR_LT || op == IR_LE;
            if (!ir_op_takes((ir_op)op, (ir_type)type)) continue;
            if (op != IR_CONVERT)
                add_operation((ir_op)op, (ir_type)type, comparison ? IR_BOOL : type);
            for (int to = 0; op == IR_CONVERT && to < IR_TYPE_COUNT; to++)
                add_operation(IR_CONVERT, (ir_type)type, (ir_type)to);
        }
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static ir_value random_value(ir_type type)
{
    static const double special[] = {0.0,  -0.0, 1.0,   -1.0,   0.5,      -0.5,      1.5, 2.5,
                                     1e10, -3e9, 1e300, 1e-310, INFINITY, -INFINITY, NAN, 9.3e18};
    static const int64_t whole[] = {0,  1,  -1,        2,         31,        32,
                                    63, 64, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    if (type == IR_BOOL) return ir_value_of_int(IR_BOOL, rand() % 2);
    if (!ir_type_is_floating(type))
        return ir_value_of_int(type, rand() % 2 ? whole[(size_t)rand() % COUNT_OF(whole)]
                                                : (int64_t)((uint64_t)rand() << 33) ^ rand());
    double x = rand() % 3 ? ((double)rand() / RAND_MAX - 0.5) * pow(10, rand() % 8 - 2)
                          : special[(size_t)rand() % COUNT_OF(special)];
    return ir_value_of_double(type, x);
}

static bool same(ir_type type, ir_value a, ir_value b)
{
    if (type == IR_F64 && isnan(a.f64)) return isnan(b.f64);
    if (type == IR_F32 && isnan(a.f32)) return isnan(b.f32);
    return a.bits == b.bits;
}

static ir_value expected(const one_op *k, const ir_value *operands)
{
    ir_value args[OPERANDS] = {operands[0], operands[1], operands[2]};
    if (k->op == IR_CONVERT) return ir_convert(k->result, k->operand, args[0]);
    if (k->op == IR_STORED) return args[0];
    ir_type compared = ir_type_is_narrow(k->operand) ? IR_I32 : k->operand;
    if (k->op == IR_SELECT)
        args[0] = ir_evaluate(k->operand == IR_BOOL ? IR_NE : IR_LT, IR_BOOL, compared, operands);
    return ir_evaluate(k->op, k->result, k->operand, args);
}

static abi_function *function_of(void *library, const one_op *k)
{
    char name[64];
    codegen_loop loop = {.kernel = &k->kernel, .storage = k->storage};
    codegen_name(&loop, name);
    void *symbol = jit_symbol(library, name);
    abi_function *function;
    assert_non_null(symbol);
    memcpy(&function, &symbol, sizeof symbol);
    return function;
}

/* Runs a kernel on a row of points. */
static void call(void *library, const one_op *k, int64_t points, const abi_view *views, int flags)
{
    const abi_box box = {.hi = {points, 1, 1}};
    const abi_arguments arguments = {.views = views, .size = {points, 1, 1}, .flags = flags};
    function_of(library, k)(&box, &arguments);
}

static void check_operation(void *library, const one_op *k, int flags)
{
    static ir_value values[PARAMS][LENGTH];
    static _Alignas(64) char memory[PARAMS][LENGTH * sizeof(ir_value) / 64 * 64 + 64];
    abi_view views[PARAMS];
    for (int p = 0; p < PARAMS; p++) {
        size_t size = (size_t)ir_types[in_memory(k->params[p].type)].bytes;
        views[p] = (abi_view){memory[p], LENGTH, LENGTH, 1};
        for (size_t i = 0; i < LENGTH; i++) {
            values[p][i] = random_value(k->params[p].type);
            memcpy(memory[p] + i * size, &values[p][i], size);
        }
    }
    call(library, k, LENGTH, views, flags);
    for (size_t i = 0; i < LENGTH; i++) {
        ir_value operands[OPERANDS] = {values[0][i], values[1][i], values[2][i]}, found = {0};
        size_t bytes = (size_t)ir_types[in_memory(k->result)].bytes;
        memcpy(&found, memory[OUT] + i * bytes, bytes);
        if (k->result == IR_I16) found = ir_storage_read(KATA_I16, IR_I16, &found); /* its sign */
        if (!same(k->result, expected(k, operands), found))
            fail_msg("%s of %s at %zu: %a %a %a is %a and not %a", ir_ops[k->op].name,
                     ir_types[k->operand].name, i, operands[0].f64, operands[1].f64,
                     operands[2].f64, expected(k, operands).f64, found.f64);
    }
}

static void *compile(jit *j, codegen_loop *loops, size_t count)
{
    messages m = {0};
    text c_text = {0};
    jit_job *job;
    void *library = NULL;
    codegen_file_text(&c_text, loops, count);
    assert_false(c_text.failed);
    assert_int_equal(jit_start(j, &c_text, &(jit_function){.name = ""}, 0, JIT_SOON, &m, &job),
                     KATA_OK);
    assert_int_equal(jit_finish(j, job, &m, &library), KATA_OK);
    return library;
}

static void computes_every_operation(void **state)
{
    codegen_loop loops[MOST_KERNELS];
    add_all_operations();
    for (int i = 0; i < kernel_count; i++)
        loops[i] = (codegen_loop){.kernel = &kernels[i].kernel, .storage = kernels[i].storage};
    void *library = compile(*state, loops, (size_t)kernel_count);
    srand(11);
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < kernel_count; i++) check_operation(library, &kernels[i], round % 8);
    for (int i = 0; i < kernel_count; i++) ir_graph_free(&kernels[i].kernel.graph);
}

/* 0 - x or -x + 0, where x is a whole number or |y|: for x = +0 gcc 12 would make it -0. */
static void add_zero_minus(ir_type type, ir_op op, ir_type operand, bool plus)
{
    one_op *k = start(operand, type);
    ir_id loaded = load(k, 0), zero = add(k, (ir_node){.op = IR_CONST, .type = (uint8_t)type});
    ir_id x = add(k, (ir_node){.op = (uint8_t)op, .type = (uint8_t)type, .arg = {loaded}});
    ir_id minus = add(k, (ir_node){.op = IR_NEG, .type = (uint8_t)type, .arg = {x}});
    ir_node sum = {.op = plus ? IR_ADD : IR_SUB, .type = (uint8_t)type};
    sum.arg[0] = plus ? minus : zero;
    sum.arg[1] = plus ? zero : x;
    k->op = plus ? IR_ADD : op;
    finish(k, add(k, sum));
}

static void subtracts_from_zero(void **state)
{
    codegen_loop loops[8];
    kernel_count = 0;
    for (int plus = 0; plus < 2; plus++) {
        add_zero_minus(IR_F32, IR_CONVERT, IR_I64, plus);
        add_zero_minus(IR_F64, IR_CONVERT, IR_I32, plus);
        add_zero_minus(IR_F32, IR_FABS, IR_F32, plus);
        add_zero_minus(IR_F64, IR_FABS, IR_F64, plus);
    }
    for (int i = 0; i < kernel_count; i++)
        loops[i] = (codegen_loop){.kernel = &kernels[i].kernel, .storage = kernels[i].storage};
    void *library = compile(*state, loops, (size_t)kernel_count);
    for (int i = 0; i < kernel_count; i++) {
        ir_value zeros[LENGTH] = {{0}}, found[LENGTH];
        memset(found, 1, sizeof found);
        abi_view views[PARAMS] = {{zeros, 1, 1, 1}, {0}, {0}, {found, 1, 1, 1}};
        call(library, &kernels[i], LENGTH, views, 0);
        size_t bytes = LENGTH * (size_t)ir_types[kernels[i].result].bytes;
        assert_memory_equal(found, zeros, bytes);
        ir_graph_free(&kernels[i].kernel.graph);
    }
}

/* ---- constants ------------------------------------------------------------------------------- */

static void add_constant(ir_type type, ir_value value)
{
    one_op *k = start(type, type);
    ir_node node = {.op = IR_CONST, .type = (uint8_t)type, .value = value};
    finish(k, add(k, node));
    hash_hex(&kernel_count, sizeof kernel_count, k->kernel.hash);
}

/* Constants keep their bits in any locale. */
static void writes_constants_exactly(void **state)
{
    codegen_loop loops[MOST_KERNELS];
    kernel_count = 0;
    srand(2);
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    const int of_each = getenv("KATA_TEST_FULL") ? 60 : 15;
    for (int type = IR_I32; type <= IR_F64; type++)
        for (int i = 0; i < of_each; i++) add_constant((ir_type)type, random_value((ir_type)type));
    for (int i = 0; i < kernel_count; i++)
        loops[i] = (codegen_loop){.kernel = &kernels[i].kernel, .storage = kernels[i].storage};
    void *library = compile(*state, loops, (size_t)kernel_count);
    for (int i = 0; i < kernel_count; i++) {
        const one_op *k = &kernels[i];
        ir_value value = k->kernel.graph.nodes[k->store.value].value, found = {0};
        abi_view views[PARAMS] = {[OUT] = {&found, 1, 1, 1}};
        call(library, k, 1, views, 0);
        assert_true(same(k->result, value, found));
        ir_graph_free(&kernels[i].kernel.graph);
    }
    setlocale(LC_ALL, "C");
}

/* ---- text ------------------------------------------------------------------------------------ */

static void add_text(text *out, const one_op *k)
{
    codegen_loop loop = {.kernel = &k->kernel, .storage = k->storage};
    codegen_function_text(out, &loop);
}

static void names_tell_what_is_computed(void **state)
{
    (void)state;
    char one[64], other[64];
    kernel_count = 0;
    add_operation(IR_ADD, IR_F64, IR_F64);
    codegen_loop loop = {.kernel = &kernels[0].kernel, .storage = kernels[0].storage};
    codegen_name(&loop, one);
    kernels[0].params[1].name = "renamed";
    codegen_name(&loop, other);
    assert_string_equal(one, other);
    kernels[0].storage[1] = KATA_F32;
    codegen_name(&loop, other);
    assert_string_not_equal(one, other);
    ir_graph_free(&kernels[0].kernel.graph);
}

/* Contiguous rows give the text and the name of a loop without rows; other rows give other names.
 */
static void rows_show_in_names_and_indices(void **state)
{
    (void)state;
    static const char *const element[] = {"_0_0[ix]", "_0_0[(ix) * 1]", "_0_0[ix + p0_",
                                          "_0_0[(ix) * p0_"};
    kernel_count = 0;
    add_operation(IR_ADD, IR_F64, IR_F64);
    char names[5][64];
    text plain = {0};
    add_text(&plain, &kernels[0]);
    codegen_loop loop = {.kernel = &kernels[0].kernel, .storage = kernels[0].storage};
    codegen_name(&loop, names[4]);
    for (int kind = CODEGEN_CONTIGUOUS; kind <= CODEGEN_STRIDED; kind++) {
        codegen_rows rows[PARAMS] = {(codegen_rows)kind, CODEGEN_CONTIGUOUS};
        text out = {0};
        loop.rows = rows;
        codegen_name(&loop, names[kind]);
        for (int i = 0; i < kind; i++) assert_string_not_equal(names[i], names[kind]);
        codegen_function_text(&out, &loop);
        assert_non_null(strstr(text_get(&out), element[kind]));
        if (kind == CODEGEN_CONTIGUOUS) assert_string_equal(text_get(&out), text_get(&plain));
        text_free(&out);
    }
    assert_string_equal(names[CODEGEN_CONTIGUOUS], names[4]);
    text_free(&plain);
    ir_graph_free(&kernels[0].kernel.graph);
}

static void user_names_cannot_inject(void **state)
{
    (void)state;
    text c_text = {0};
    kernel_count = 0;
    add_operation(IR_ADD, IR_F64, IR_F64);
    kernels[0].kernel.name = "*/ system(\"x\"); /*";
    kernels[0].params[0].name = "a;}\n#include <b>";
    add_text(&c_text, &kernels[0]);
    const char *t = text_get(&c_text);
    assert_null(strstr(t, "system("));
    assert_null(strstr(t, "a;}"));
    assert_null(strstr(t, "#include"));
    assert_non_null(strstr(t, "p0_a____include__b__0_0[ix]"));
    text_free(&c_text);
    ir_graph_free(&kernels[0].kernel.graph);
}

/* d = a[-1,2] + sqrt(n) * iy, where n is a number */
static void computes_each_value_as_far_out_as_it_can(void **state)
{
    (void)state;
    text c_text = {0};
    kernel_count = 0;
    one_op *k = start(IR_F64, IR_F64);
    k->params[1].kind = IR_PARAM_NUMBER;
    k->accesses[k->kernel.access_count++] = (ir_access){.param = 0, .offset = {-1, 2, 0}};
    ir_id a = add(k, (ir_node){.op = IR_LOAD, .type = IR_F64, .param = 0, .offset = {-1, 2, 0}});
    ir_id n = add(k, (ir_node){.op = IR_NUMBER, .type = IR_F64, .param = 1});
    ir_id root = add(k, (ir_node){.op = IR_SQRT, .type = IR_F64, .arg = {n}});
    ir_id iy = add(k, (ir_node){.op = IR_INDEX, .type = IR_I64, .param = 1});
    ir_id y = add(k, (ir_node){.op = IR_CONVERT, .type = IR_F64, .arg = {iy}});
    ir_id product = add(k, (ir_node){.op = IR_MUL, .type = IR_F64, .arg = {root, y}});
    finish(k, add(k, (ir_node){.op = IR_ADD, .type = IR_F64, .arg = {a, product}}));
    add_text(&c_text, k);
    const char *t = text_get(&c_text), *head = strstr(t, "__builtin_sqrt(p1_b)");
    const char *row = strstr(t, "* ((double)iy)"), *inner = strstr(t, "KATA_SIDE_BY_SIDE");
    assert_true(head && row && inner);
    assert_true(head < strstr(t, "for (int64_t iz") && row > strstr(t, "for (int64_t iy"));
    assert_true(row < inner && strstr(t, "p0_a_2_0[ix - 1]") < head);
    text_free(&c_text);
    ir_graph_free(&k->kernel.graph);
}

static int set_up(void **state)
{
    messages m = {0};
    jit *j = NULL;
    if (jit_open(NULL, NULL, &m, &j) != KATA_OK) return -1;
    *state = j;
    return 0;
}

static int tear_down(void **state)
{
    jit_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_every_operation),
        cmocka_unit_test(subtracts_from_zero),
        cmocka_unit_test(writes_constants_exactly),
        cmocka_unit_test(names_tell_what_is_computed),
        cmocka_unit_test(rows_show_in_names_and_indices),
        cmocka_unit_test(user_names_cannot_inject),
        cmocka_unit_test(computes_each_value_as_far_out_as_it_can),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
