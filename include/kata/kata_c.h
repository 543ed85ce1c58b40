/* The calls of kata.h as one writes them in C17: macros over functions. Included by kata.h. */
#ifndef KATA_KATA_C_H
#define KATA_KATA_C_H

#include "kata/kata.h"

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "kata.h needs C11 (-std=c11) or later"
#endif

/* An option without a name is an error of gcc: positional initialization, -Wdesignated-init. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic error "-Wdesignated-init"
#endif
#define KATA_OPTIONS(options, ...) (&(options){.size = sizeof(options), __VA_ARGS__})
#define kata_field_new(grid, name, ...)                                                            \
    kata_field_new_with(grid, name, KATA_OPTIONS(kata_field_options, .type = __VA_ARGS__))
#define kata_field_wrap(grid, name, type_, ...)                                                    \
    kata_field_wrap_with(grid, name, KATA_ELEMENT(KATA_FIRST(__VA_ARGS__, 0)),                     \
                         KATA_OPTIONS(kata_wrap_options, .type = type_, .memory = __VA_ARGS__))
#define kata_boundary_linear(field, side, depth_, count_, ...)                                     \
    kata_boundary_linear_with(field, side,                                                         \
                              KATA_OPTIONS(kata_linear_options, .depth = depth_, .count = count_,  \
                                           .weights = __VA_ARGS__))
#define kata_save(field, ...)                                                                      \
    kata_save_with(field, KATA_OPTIONS(kata_save_options, .path = __VA_ARGS__))
#define kata_series_new(field, ...)                                                                \
    kata_series_new_with(field, KATA_OPTIONS(kata_save_options, .path = __VA_ARGS__))
#define kata_checkpoint(k, ...)                                                                    \
    kata_checkpoint_with(k, KATA_OPTIONS(kata_checkpoint_options, .path = __VA_ARGS__))
#define kata_points_new(grid, name, coordinates_, ...)                                             \
    kata_points_new_with(                                                                          \
        grid, name,                                                                                \
        KATA_OPTIONS(kata_points_options, .coordinates = coordinates_, .count = __VA_ARGS__))
#define kata_module_load(k, ...)                                                                   \
    kata_module_load_with(k, KATA_OPTIONS(kata_module_options, .source = __VA_ARGS__))
#define kata_module_from_text(k, name, ...)                                                        \
    kata_module_from_text_with(k, name, KATA_OPTIONS(kata_module_options, .source = __VA_ARGS__))
#define kata_partition(k, ...)                                                                     \
    kata_partition_with(k, KATA_OPTIONS(kata_partition_options, .nx = __VA_ARGS__))
#define kata_grid_mesh(k, ...)                                                                     \
    kata_grid_mesh_with(k, KATA_OPTIONS(kata_mesh_options, .cells = __VA_ARGS__))
#define kata_module_compile(module, ...)                                                           \
    kata_module_compile_with(module, KATA_OPTIONS(kata_compile_options, .kernel = __VA_ARGS__))

/* An argument of another type is one of these, so that the compiler's error says its name. */
extern const struct kata_apply_takes_a_kernel_first_as_kata_kernel_find_returns_it
    kata_apply_takes_a_kernel_first_as_kata_kernel_find_returns_it;
extern const struct kata_a_range_is_expected_as_kata_all_or_kata_on_returns_it
    kata_a_range_is_expected_as_kata_all_or_kata_on_returns_it;
extern const struct kata_a_scalar_is_expected_as_kata_scalar_new_returns_it
    kata_a_scalar_is_expected_as_kata_scalar_new_returns_it;
#define KATA_KERNEL(kernel)                                                                        \
    _Generic((kernel), kata_kernel *                                                               \
             : (kernel), const kata_kernel *                                                       \
             : (kernel), void *                                                                    \
             : (kernel), default                                                                   \
             : kata_apply_takes_a_kernel_first_as_kata_kernel_find_returns_it)
#define KATA_RANGE(range)                                                                          \
    _Generic((range), kata_range                                                                   \
             : (range), default                                                                    \
             : kata_a_range_is_expected_as_kata_all_or_kata_on_returns_it)
#define KATA_SCALAR(scalar)                                                                        \
    _Generic((scalar), kata_scalar *                                                               \
             : (scalar), void *                                                                    \
             : (scalar), default                                                                   \
             : kata_a_scalar_is_expected_as_kata_scalar_new_returns_it)

#define KATA_TYPE_OF(pointer)                                                                      \
    _Generic((pointer), double *                                                                   \
             : KATA_F64, const double *                                                            \
             : KATA_F64, float *                                                                   \
             : KATA_F32, const float *                                                             \
             : KATA_F32, int *                                                                     \
             : KATA_I32, const int *                                                               \
             : KATA_I32, int64_t *                                                                 \
             : KATA_I64, const int64_t *                                                           \
             : KATA_I64, uint8_t *                                                                 \
             : KATA_U8, const uint8_t *                                                            \
             : KATA_U8, uint16_t *                                                                 \
             : KATA_U16, const uint16_t *                                                          \
             : KATA_U16, int16_t *                                                                 \
             : KATA_I16, const int16_t *                                                           \
             : KATA_I16)

/* An error here says that what should be memory of values is a pointer to something else: it points
 * to double, float, int, int64_t, uint8_t, uint16_t (of integers or half precision), int16_t or
 * void. */
#define KATA_ELEMENT(pointer)                                                                      \
    _Generic((pointer), double *                                                                   \
             : KATA_F64, float *                                                                   \
             : KATA_F32, int *                                                                     \
             : KATA_I32, int64_t *                                                                 \
             : KATA_I64, uint8_t *                                                                 \
             : KATA_U8, uint16_t *                                                                 \
             : KATA_U16, int16_t *                                                                 \
             : KATA_I16, void *                                                                    \
             : -1)
#define KATA_READ_ELEMENT(pointer)                                                                 \
    _Generic((pointer), double *                                                                   \
             : KATA_F64, const double *                                                            \
             : KATA_F64, float *                                                                   \
             : KATA_F32, const float *                                                             \
             : KATA_F32, int *                                                                     \
             : KATA_I32, const int *                                                               \
             : KATA_I32, int64_t *                                                                 \
             : KATA_I64, const int64_t *                                                           \
             : KATA_I64, uint8_t *                                                                 \
             : KATA_U8, const uint8_t *                                                            \
             : KATA_U8, uint16_t *                                                                 \
             : KATA_U16, const uint16_t *                                                          \
             : KATA_U16, int16_t *                                                                 \
             : KATA_I16, const int16_t *                                                           \
             : KATA_I16, void *                                                                    \
             : -1, const void *                                                                    \
             : -1)
#define KATA_WRITABLE(pointer)                                                                     \
    _Generic((pointer), double *                                                                   \
             : true, float *                                                                       \
             : true, int *                                                                         \
             : true, int64_t *                                                                     \
             : true, uint8_t *                                                                     \
             : true, uint16_t *                                                                    \
             : true, int16_t *                                                                     \
             : true, void *                                                                        \
             : true, default                                                                       \
             : false)
#define KATA_FIRST(first, ...) first
#define kata_map(field, pointer, mapping)                                                          \
    kata_map_element(field, KATA_READ_ELEMENT(*(pointer)), KATA_WRITABLE(*(pointer)), pointer,     \
                     mapping)
#define kata_get(field, range, values, count)                                                      \
    kata_get_values(field, (kata_range[1]){KATA_RANGE(range)}, KATA_TYPE_OF(values), values, count)
#define kata_put(field, range, values, count)                                                      \
    kata_put_values(field, (kata_range[1]){KATA_RANGE(range)}, KATA_TYPE_OF(values), values, count)
#define kata_scalar_get(scalar, value)                                                             \
    kata_scalar_get_value(KATA_SCALAR(scalar), KATA_TYPE_OF(value), value)
#define kata_scalar_get_all(scalar, values, count)                                                 \
    kata_scalar_get_values(KATA_SCALAR(scalar), KATA_TYPE_OF(values), values, count)
#define kata_scalar_log_get(scalar, values, count)                                                 \
    kata_scalar_log_values(KATA_SCALAR(scalar), KATA_TYPE_OF(values), values, count)
#define KATA_UNTIL(scalar, above_, ...)                                                            \
    kata_until_with(KATA_SCALAR(scalar),                                                           \
                    KATA_OPTIONS(kata_until_options, .above = above_, .file = __FILE__,            \
                                 .line = __LINE__, .limit = __VA_ARGS__))
#define kata_until_below(scalar, ...) KATA_UNTIL(scalar, false, __VA_ARGS__)
#define kata_until_above(scalar, ...) KATA_UNTIL(scalar, true, __VA_ARGS__)

/* What is not in the list of KATA_ARG is this, so that the compiler's error says its name. */
extern const struct kata_apply_takes_fields_scalars_numbers_and_arrays
    kata_apply_takes_fields_scalars_numbers_and_arrays;
#define KATA_ARG(x)                                                                                \
    _Generic((x), kata_field *                                                                     \
             : kata_arg_field, const kata_field *                                                  \
             : kata_arg_const_field, const kata_scalar *                                           \
             : kata_arg_const_scalar, kata_scalar *                                                \
             : kata_arg_scalar, kata_arg                                                           \
             : kata_arg_as_is, bool                                                                \
             : kata_arg_integer, char                                                              \
             : kata_arg_integer, signed char                                                       \
             : kata_arg_integer, unsigned char                                                     \
             : kata_arg_integer, short                                                             \
             : kata_arg_integer, unsigned short                                                    \
             : kata_arg_integer, int                                                               \
             : kata_arg_integer, unsigned int                                                      \
             : kata_arg_integer, long                                                              \
             : kata_arg_integer, long long                                                         \
             : kata_arg_integer, unsigned long                                                     \
             : kata_arg_unsigned, unsigned long long                                               \
             : kata_arg_unsigned, float                                                            \
             : kata_arg_floating, double                                                           \
             : kata_arg_floating, double *                                                         \
             : kata_arg_f64_table, const double *                                                  \
             : kata_arg_f64_table, float *                                                         \
             : kata_arg_f32_table, const float *                                                   \
             : kata_arg_f32_table, int *                                                           \
             : kata_arg_i32_table, const int *                                                     \
             : kata_arg_i32_table, int64_t *                                                       \
             : kata_arg_i64_table, const int64_t *                                                 \
             : kata_arg_i64_table, uint8_t *                                                       \
             : kata_arg_u8_table, const uint8_t *                                                  \
             : kata_arg_u8_table, uint16_t *                                                       \
             : kata_arg_u16_table, const uint16_t *                                                \
             : kata_arg_u16_table, int16_t *                                                       \
             : kata_arg_i16_table, const int16_t *                                                 \
             : kata_arg_i16_table, default                                                          \
             : kata_apply_takes_fields_scalars_numbers_and_arrays)((x), sizeof(x))

#define kata_fill(field, range, value)                                                             \
    kata_fill_with(field, (kata_range[1]){KATA_RANGE(range)}, (kata_arg[1]){KATA_ARG(value)},      \
                   __FILE__, __LINE__)
#define kata_inject(points, values, ...)                                                           \
    kata_inject_with(points, (kata_arg[1]){KATA_ARG(values)},                                      \
                     KATA_OPTIONS(kata_target_options, .file = __FILE__, .line = __LINE__,         \
                                  .field = __VA_ARGS__))
#define kata_record(points, scalar, ...)                                                           \
    kata_record_with(points, KATA_SCALAR(scalar),                                                  \
                     KATA_OPTIONS(kata_target_options, .file = __FILE__, .line = __LINE__,         \
                                  .field = __VA_ARGS__))
#define kata_copy(to, to_range, from, ...)                                                         \
    kata_copy_with(to, (kata_range[1]){KATA_RANGE(to_range)}, from,                                \
                   KATA_OPTIONS(kata_copy_options, .file = __FILE__, .line = __LINE__,             \
                                .from_range = __VA_ARGS__))

#define kata_apply(kernel, ...)                                                                    \
    KATA_COUNTED(kata_here(KATA_KERNEL(kernel), __FILE__, __LINE__), KATA_COUNT(__VA_ARGS__),      \
                 __VA_ARGS__)

/* KATA_COUNT(range, a, b, ...) is the number of arguments after the range. */
#define KATA_COUNT(...)                                                                            \
    KATA_COUNT_AT(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, \
                  15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define KATA_COUNT_AT(r, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, s, t, u, v, w, x, y,   \
                      z, A, B, C, D, E, F, G, N, ...)                                              \
    N
#define KATA_COUNTED(kernel, n, ...) KATA_COUNTED_(kernel, n, __VA_ARGS__)
#define KATA_COUNTED_(kernel, n, ...) KATA_APPLY_##n(kernel, n, __VA_ARGS__)

#define KATA_APPLY_0(kernel, n, range)                                                             \
    kata_apply_args(kernel, (kata_range[1]){KATA_RANGE(range)}, 0, (const kata_arg *)0)
#define KATA_APPLY_SOME(map, kernel, n, range, ...)                                                \
    kata_apply_args(kernel, (kata_range[1]){KATA_RANGE(range)}, n, (kata_arg[]){map(__VA_ARGS__)})
#define KATA_MAP_1(x) KATA_ARG(x)
#define KATA_MAP_2(x, ...) KATA_ARG(x), KATA_MAP_1(__VA_ARGS__)
#define KATA_MAP_3(x, ...) KATA_ARG(x), KATA_MAP_2(__VA_ARGS__)
#define KATA_MAP_4(x, ...) KATA_ARG(x), KATA_MAP_3(__VA_ARGS__)
#define KATA_MAP_5(x, ...) KATA_ARG(x), KATA_MAP_4(__VA_ARGS__)
#define KATA_MAP_6(x, ...) KATA_ARG(x), KATA_MAP_5(__VA_ARGS__)
#define KATA_MAP_7(x, ...) KATA_ARG(x), KATA_MAP_6(__VA_ARGS__)
#define KATA_MAP_8(x, ...) KATA_ARG(x), KATA_MAP_7(__VA_ARGS__)
#define KATA_MAP_9(x, ...) KATA_ARG(x), KATA_MAP_8(__VA_ARGS__)
#define KATA_MAP_10(x, ...) KATA_ARG(x), KATA_MAP_9(__VA_ARGS__)
#define KATA_MAP_11(x, ...) KATA_ARG(x), KATA_MAP_10(__VA_ARGS__)
#define KATA_MAP_12(x, ...) KATA_ARG(x), KATA_MAP_11(__VA_ARGS__)
#define KATA_MAP_13(x, ...) KATA_ARG(x), KATA_MAP_12(__VA_ARGS__)
#define KATA_MAP_14(x, ...) KATA_ARG(x), KATA_MAP_13(__VA_ARGS__)
#define KATA_MAP_15(x, ...) KATA_ARG(x), KATA_MAP_14(__VA_ARGS__)
#define KATA_MAP_16(x, ...) KATA_ARG(x), KATA_MAP_15(__VA_ARGS__)
#define KATA_MAP_17(x, ...) KATA_ARG(x), KATA_MAP_16(__VA_ARGS__)
#define KATA_MAP_18(x, ...) KATA_ARG(x), KATA_MAP_17(__VA_ARGS__)
#define KATA_MAP_19(x, ...) KATA_ARG(x), KATA_MAP_18(__VA_ARGS__)
#define KATA_MAP_20(x, ...) KATA_ARG(x), KATA_MAP_19(__VA_ARGS__)
#define KATA_MAP_21(x, ...) KATA_ARG(x), KATA_MAP_20(__VA_ARGS__)
#define KATA_MAP_22(x, ...) KATA_ARG(x), KATA_MAP_21(__VA_ARGS__)
#define KATA_MAP_23(x, ...) KATA_ARG(x), KATA_MAP_22(__VA_ARGS__)
#define KATA_MAP_24(x, ...) KATA_ARG(x), KATA_MAP_23(__VA_ARGS__)
#define KATA_MAP_25(x, ...) KATA_ARG(x), KATA_MAP_24(__VA_ARGS__)
#define KATA_MAP_26(x, ...) KATA_ARG(x), KATA_MAP_25(__VA_ARGS__)
#define KATA_MAP_27(x, ...) KATA_ARG(x), KATA_MAP_26(__VA_ARGS__)
#define KATA_MAP_28(x, ...) KATA_ARG(x), KATA_MAP_27(__VA_ARGS__)
#define KATA_MAP_29(x, ...) KATA_ARG(x), KATA_MAP_28(__VA_ARGS__)
#define KATA_MAP_30(x, ...) KATA_ARG(x), KATA_MAP_29(__VA_ARGS__)
#define KATA_MAP_31(x, ...) KATA_ARG(x), KATA_MAP_30(__VA_ARGS__)
#define KATA_MAP_32(x, ...) KATA_ARG(x), KATA_MAP_31(__VA_ARGS__)
#define KATA_APPLY_1(...) KATA_APPLY_SOME(KATA_MAP_1, __VA_ARGS__)
#define KATA_APPLY_2(...) KATA_APPLY_SOME(KATA_MAP_2, __VA_ARGS__)
#define KATA_APPLY_3(...) KATA_APPLY_SOME(KATA_MAP_3, __VA_ARGS__)
#define KATA_APPLY_4(...) KATA_APPLY_SOME(KATA_MAP_4, __VA_ARGS__)
#define KATA_APPLY_5(...) KATA_APPLY_SOME(KATA_MAP_5, __VA_ARGS__)
#define KATA_APPLY_6(...) KATA_APPLY_SOME(KATA_MAP_6, __VA_ARGS__)
#define KATA_APPLY_7(...) KATA_APPLY_SOME(KATA_MAP_7, __VA_ARGS__)
#define KATA_APPLY_8(...) KATA_APPLY_SOME(KATA_MAP_8, __VA_ARGS__)
#define KATA_APPLY_9(...) KATA_APPLY_SOME(KATA_MAP_9, __VA_ARGS__)
#define KATA_APPLY_10(...) KATA_APPLY_SOME(KATA_MAP_10, __VA_ARGS__)
#define KATA_APPLY_11(...) KATA_APPLY_SOME(KATA_MAP_11, __VA_ARGS__)
#define KATA_APPLY_12(...) KATA_APPLY_SOME(KATA_MAP_12, __VA_ARGS__)
#define KATA_APPLY_13(...) KATA_APPLY_SOME(KATA_MAP_13, __VA_ARGS__)
#define KATA_APPLY_14(...) KATA_APPLY_SOME(KATA_MAP_14, __VA_ARGS__)
#define KATA_APPLY_15(...) KATA_APPLY_SOME(KATA_MAP_15, __VA_ARGS__)
#define KATA_APPLY_16(...) KATA_APPLY_SOME(KATA_MAP_16, __VA_ARGS__)
#define KATA_APPLY_17(...) KATA_APPLY_SOME(KATA_MAP_17, __VA_ARGS__)
#define KATA_APPLY_18(...) KATA_APPLY_SOME(KATA_MAP_18, __VA_ARGS__)
#define KATA_APPLY_19(...) KATA_APPLY_SOME(KATA_MAP_19, __VA_ARGS__)
#define KATA_APPLY_20(...) KATA_APPLY_SOME(KATA_MAP_20, __VA_ARGS__)
#define KATA_APPLY_21(...) KATA_APPLY_SOME(KATA_MAP_21, __VA_ARGS__)
#define KATA_APPLY_22(...) KATA_APPLY_SOME(KATA_MAP_22, __VA_ARGS__)
#define KATA_APPLY_23(...) KATA_APPLY_SOME(KATA_MAP_23, __VA_ARGS__)
#define KATA_APPLY_24(...) KATA_APPLY_SOME(KATA_MAP_24, __VA_ARGS__)
#define KATA_APPLY_25(...) KATA_APPLY_SOME(KATA_MAP_25, __VA_ARGS__)
#define KATA_APPLY_26(...) KATA_APPLY_SOME(KATA_MAP_26, __VA_ARGS__)
#define KATA_APPLY_27(...) KATA_APPLY_SOME(KATA_MAP_27, __VA_ARGS__)
#define KATA_APPLY_28(...) KATA_APPLY_SOME(KATA_MAP_28, __VA_ARGS__)
#define KATA_APPLY_29(...) KATA_APPLY_SOME(KATA_MAP_29, __VA_ARGS__)
#define KATA_APPLY_30(...) KATA_APPLY_SOME(KATA_MAP_30, __VA_ARGS__)
#define KATA_APPLY_31(...) KATA_APPLY_SOME(KATA_MAP_31, __VA_ARGS__)
#define KATA_APPLY_32(...) KATA_APPLY_SOME(KATA_MAP_32, __VA_ARGS__)

#endif
