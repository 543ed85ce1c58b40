/* Conversions: the text around an expression that makes a value of another type of it. */
#include "codegen/emit.h"

const char *codegen_convert_open(ir_type to, ir_type from)
{
    static const char *const saturating[IR_TYPE_COUNT][2] = {
        [IR_I32] = {"kata_i32_of_f32(", "kata_i32_of_f64("},
        [IR_I64] = {"kata_i64_of_f32(", "kata_i64_of_f64("},
        [IR_U8] = {"kata_u8_of_f32(", "kata_u8_of_f64("},
        [IR_U16] = {"kata_u16_of_f32(", "kata_u16_of_f64("},
        [IR_I16] = {"kata_i16_of_f32(", "kata_i16_of_f64("}};
    static const char *const casts[IR_TYPE_COUNT] = {"((",          "((int32_t)", "((int64_t)",
                                                     "((float)",    "((double)",  "((uint8_t)",
                                                     "((uint16_t)", "((int16_t)"};
    if (to == from) return "(";
    if (to != IR_BOOL && !ir_type_is_floating(to) && ir_type_is_floating(from))
        return saturating[to][from == IR_F64];
    return casts[to];
}

const char *codegen_convert_close(ir_type to, ir_type from)
{
    return to == IR_BOOL && from != IR_BOOL ? ") != 0)" : ")";
}

codegen_label codegen_load_open(ir_type to, kata_type storage)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (s->coded) return codegen_format("kata_%s_of_%s(", codegen_short_type(to), s->name);
    if (s->type != to) return codegen_format("%s", codegen_convert_open(to, s->type));
    return (codegen_label){""};
}

const char *codegen_load_close(ir_type to, kata_type storage)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (s->coded) return ")";
    return s->type == to ? "" : codegen_convert_close(to, s->type);
}

codegen_label codegen_store_open(kata_type storage, ir_type from)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (s->coded) return codegen_format("kata_%s_of_%s(", s->name, codegen_short_type(from));
    if (s->type != from) return codegen_format("%s", codegen_convert_open(s->type, from));
    return (codegen_label){""};
}

const char *codegen_store_close(kata_type storage, ir_type from)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (s->coded) return ")";
    return s->type == from ? "" : codegen_convert_close(s->type, from);
}
