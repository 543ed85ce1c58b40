/* Files of generated code. They include no header: what they need stands in front, so that
 * compiling them takes little more than compiling the loops. */
#include "codegen/thread.h"

/* The texts of headers, which the build embeds. */
extern const char abi_text[], abi_lanes_text[], codegen_places_text[], codegen_vector_text[],
    codegen_color_text[];

static bool is_trigonometric(ir_op op) { return ir_ops[op].function == IR_FUNCTION_TRIGONOMETRIC; }

static bool any_node(const codegen_loop *loops, size_t count, bool (*is)(ir_op op))
{
    for (size_t i = 0; i < count; i++) {
        const ir_graph *g = &loops[i].kernel->graph;
        for (ir_id id = 1; id < g->count; id++)
            if (is(g->nodes[id].op)) return true;
    }
    return false;
}

void codegen_file_text(text *out, const codegen_loop *loops, size_t count)
{
    text_add(out, "%s\n%s\n%s\n%s\n%s", codegen_c.prelude, abi_text, ir_arithmetic_text,
             codegen_places_text, codegen_vector_text);
    if (any_node(loops, count, codegen_is_elementary)) text_add(out, "\n%s", ir_elementary_text);
    if (any_node(loops, count, is_trigonometric)) text_add(out, "\n%s", ir_elementary_trig_text);
    bool reduce = false, colored = false;
    for (size_t i = 0; i < count; i++) {
        reduce = reduce || codegen_reduces(&loops[i]);
        colored = colored || loops[i].colored;
    }
    if (reduce) text_add(out, "\n%s", abi_lanes_text);
    if (colored) text_add(out, "\n%s", codegen_color_text);
    for (size_t i = 0; i < count; i++) codegen_function_text(out, &loops[i]);
}

static const codegen_dialect *dialect_of(codegen_language language)
{
    return language == CODEGEN_CUDA ? &codegen_cuda : &codegen_opencl;
}

static void begin_device_text(text *out, const codegen_dialect *dialect, bool wide)
{
    text_add(out, "%s#define ABI_STEP %s\n\n%s\n%s\n%s", dialect->prelude,
             wide ? "int64_t" : "int32_t", abi_text, ir_arithmetic_text, codegen_places_text);
}

void codegen_device_text(text *out, const codegen_loop *loop, const codegen_shape *shape,
                         codegen_language language)
{
    begin_device_text(out, dialect_of(language), shape->wide);
    if (any_node(loop, 1, codegen_is_elementary)) text_add(out, "\n%s", ir_elementary_text);
    if (any_node(loop, 1, is_trigonometric)) text_add(out, "\n%s", ir_elementary_trig_text);
    codegen_device_function(out, loop, shape, dialect_of(language));
}

void codegen_section_text(text *out, const codegen_loop *loop, const codegen_section *section,
                          codegen_language language)
{
    begin_device_text(out, dialect_of(language), section->wide);
    if (any_node(loop, 1, codegen_is_elementary)) text_add(out, "\n%s", ir_elementary_text);
    if (any_node(loop, 1, is_trigonometric)) text_add(out, "\n%s", ir_elementary_trig_text);
    codegen_section_function(out, loop, section, dialect_of(language));
}

void codegen_fill_text(text *out, kata_type storage, codegen_language language)
{
    begin_device_text(out, dialect_of(language), true);
    codegen_fill_function(out, storage, dialect_of(language));
}

void codegen_copy_text(text *out, int bytes, codegen_language language)
{
    begin_device_text(out, dialect_of(language), true);
    codegen_copy_function(out, bytes, dialect_of(language));
}

void codegen_sparse_text(text *out, const codegen_sparse *s, codegen_language language)
{
    begin_device_text(out, dialect_of(language), true);
    codegen_sparse_function(out, s, dialect_of(language));
}

void codegen_sums_text(text *out, codegen_language language)
{
    begin_device_text(out, dialect_of(language), true);
    codegen_sums_function(out, dialect_of(language));
}

void codegen_column_text(text *out, const ir_param *param, kata_type storage,
                         codegen_language language)
{
    begin_device_text(out, dialect_of(language), true);
    codegen_column_function(out, param, storage, dialect_of(language));
}

void codegen_tree_text(text *out, const ir_param *param, codegen_language language)
{
    begin_device_text(out, dialect_of(language), true);
    codegen_tree_function(out, param, dialect_of(language));
}
