/* The calls of kata.h as one writes them in C++17: the same text as in C. Included by kata.h. */
#ifndef KATA_KATA_HPP
#define KATA_KATA_HPP

#if __cplusplus < 201703L
#error "kata.h needs C++17 (-std=c++17) or later"
#endif

#ifndef KATA_KATA_H
#include "kata/kata.h"
#endif

#include <type_traits>

/* Where a call is written: filled in by the compiler at the place of the call. */
struct kata_kernel_here {
    const kata_kernel *kernel;
    kata_kernel_here(const kata_kernel *k, const char *file = __builtin_FILE(),
                     int line = __builtin_LINE())
        : kernel(kata_here(k, file, line))
    {
    }
};

constexpr kata_type kata_type_of(const double *) { return KATA_F64; }
constexpr kata_type kata_type_of(const float *) { return KATA_F32; }
constexpr kata_type kata_type_of(const int *) { return KATA_I32; }
constexpr kata_type kata_type_of(const int64_t *) { return KATA_I64; }
constexpr kata_type kata_type_of(const uint8_t *) { return KATA_U8; }
constexpr kata_type kata_type_of(const uint16_t *) { return KATA_U16; }
constexpr kata_type kata_type_of(const int16_t *) { return KATA_I16; }

/* What memory of values is an array of. */
constexpr int kata_element_of(const double *) { return KATA_F64; }
constexpr int kata_element_of(const float *) { return KATA_F32; }
constexpr int kata_element_of(const int *) { return KATA_I32; }
constexpr int kata_element_of(const int64_t *) { return KATA_I64; }
constexpr int kata_element_of(const uint8_t *) { return KATA_U8; }
constexpr int kata_element_of(const uint16_t *) { return KATA_U16; }
constexpr int kata_element_of(const int16_t *) { return KATA_I16; }
constexpr int kata_element_of(const void *) { return -1; }

/* What T is made of where it is a pointer or an array, T otherwise. */
template <class T> using kata_pointed = std::remove_cv_t<std::remove_pointer_t<std::decay_t<T>>>;

/* Whether a pointer to T, or an array of T, is a table. */
template <class T>
constexpr bool kata_is_table =
    std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, int> ||
    std::is_same_v<T, int64_t> || std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t> ||
    std::is_same_v<T, int16_t>;

template <class T> kata_arg kata_arg_of(const T &x)
{
    if constexpr (std::is_array_v<T>) {
        static_assert(kata_is_table<kata_pointed<T>>,
                      "kata_apply takes fields, scalars, numbers and arrays of numbers: of double, "
                      "float, int, int64_t, uint8_t, uint16_t or int16_t");
        return kata_table_of(kata_type_of(x), x, std::extent_v<T>);
    } else if constexpr (std::is_same_v<T, kata_field *>) {
        return kata_arg_field(x, sizeof x);
    } else if constexpr (std::is_same_v<T, const kata_field *>) {
        return kata_arg_const_field(x, sizeof x);
    } else if constexpr (std::is_same_v<T, kata_scalar *>) {
        return kata_arg_scalar(x, sizeof x);
    } else if constexpr (std::is_same_v<T, const kata_scalar *>) {
        return kata_arg_const_scalar(x, sizeof x);
    } else if constexpr (std::is_same_v<T, kata_arg>) {
        return x;
    } else if constexpr (std::is_pointer_v<T> && kata_is_table<kata_pointed<T>>) {
        return kata_table_of(kata_type_of(x), x, -1);
    } else if constexpr (std::is_floating_point_v<T>) {
        return kata_arg_floating(static_cast<double>(x), sizeof x);
    } else if constexpr (std::is_enum_v<T> && std::is_convertible_v<T, int64_t>) {
        return kata_arg_of(static_cast<std::underlying_type_t<T>>(x)); // not of an enum class
    } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
        return kata_arg_unsigned(x, sizeof x);
    } else {
        static_assert(
            std::is_integral_v<T>,
            "kata_apply takes fields, scalars, numbers and arrays of numbers: kata_field *, "
            "kata_scalar *, double, float, int, ...");
        return kata_arg_integer(x, sizeof x);
    }
}

template <class T, size_t N, size_t M> kata_arg kata_arg_of(const T (&table)[N][M])
{
    return kata_table_of(kata_type_of(table[0]), table, N * M);
}

template <class... Args>
kata_status kata_apply(kata_kernel_here here, const kata_range &range, const Args &...args)
{
    const kata_arg list[] = {kata_arg{}, kata_arg_of(args)...};
    return kata_apply_args(here.kernel, &range, static_cast<int>(sizeof...(args)), list + 1);
}

/* What is not a kernel, or not a range. */
template <class> constexpr bool kata_never = false;
template <class Kernel, class... Args,
          std::enable_if_t<!std::is_same_v<Kernel, kata_kernel>, int> = 0>
kata_status kata_apply(const Kernel *, const kata_range &, const Args &...)
{
    static_assert(kata_never<Kernel>, "kata_apply takes a kernel first, as "
                                      "kata_kernel_find(module, \"name\") returns it");
    return KATA_ERROR_ARGUMENT;
}
template <class Range, class... Args>
kata_status kata_apply(kata_kernel_here, const Range &, const Args &...)
{
    static_assert(kata_never<Range>,
                  "a range is expected: kata_all(grid), kata_on(field), kata_inner(grid, 1)");
    return KATA_ERROR_ARGUMENT;
}

template <class T>
kata_status kata_get(kata_field *field, const kata_range &range, T *values, int64_t count)
{
    return kata_get_values(field, &range, kata_type_of(values), values, count);
}

template <class T>
kata_status kata_put(kata_field *field, const kata_range &range, const T *values, int64_t count)
{
    return kata_put_values(field, &range, kata_type_of(values), values, count);
}

template <class T> kata_status kata_scalar_get(kata_scalar *scalar, T *value)
{
    return kata_scalar_get_value(scalar, kata_type_of(value), value);
}

template <class T> kata_status kata_scalar_get_all(kata_scalar *scalar, T *values, int64_t count)
{
    return kata_scalar_get_values(scalar, kata_type_of(values), values, count);
}

template <class T> kata_status kata_scalar_log_get(kata_scalar *scalar, T *values, int64_t count)
{
    return kata_scalar_log_values(scalar, kata_type_of(values), values, count);
}

inline kata_field *kata_field_new_of(kata_grid *grid, const char *name,
                                     const kata_field_options &options)
{
    return kata_field_new_with(grid, name, &options);
}

template <class T>
kata_field *kata_field_wrap_of(kata_grid *grid, const char *name, T *,
                               const kata_wrap_options &options)
{
    static_assert(!std::is_const_v<T>, "the memory of a field can be written");
    return kata_field_wrap_with(grid, name, kata_element_of(static_cast<T *>(nullptr)), &options);
}

template <class T> kata_status kata_map(kata_field *field, T **pointer, kata_mapping *mapping)
{
    return kata_map_element(field, kata_element_of(static_cast<T *>(nullptr)), !std::is_const_v<T>,
                            pointer, mapping);
}

inline kata_status kata_boundary_linear_of(kata_field *field, kata_side side,
                                           const kata_linear_options &options)
{
    return kata_boundary_linear_with(field, side, &options);
}

inline kata_status kata_save_of(kata_field *field, const kata_save_options &options)
{
    return kata_save_with(field, &options);
}

inline kata_status kata_checkpoint_of(kata *k, const kata_checkpoint_options &options)
{
    return kata_checkpoint_with(k, &options);
}

inline kata_series *kata_series_new_of(kata_field *field, const kata_save_options &options)
{
    return kata_series_new_with(field, &options);
}

inline kata_module *kata_module_load_of(kata *k, const kata_module_options &options)
{
    return kata_module_load_with(k, &options);
}

inline kata_module *kata_module_from_text_of(kata *k, const char *name,
                                             const kata_module_options &options)
{
    return kata_module_from_text_with(k, name, &options);
}

inline kata_status kata_module_compile_of(kata_module *module, const kata_compile_options &options)
{
    return kata_module_compile_with(module, &options);
}

inline kata_grid *kata_grid_mesh_of(kata *k, const kata_mesh_options &options)
{
    return kata_grid_mesh_with(k, &options);
}

inline const char *kata_partition_of(kata *k, const kata_partition_options &options)
{
    return kata_partition_with(k, &options);
}

template <class T>
kata_status kata_fill(kata_field *field, const kata_range &range, const T &value,
                      const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const kata_arg arg = kata_arg_of(value);
    return kata_fill_with(field, &range, &arg, file, line);
}

inline kata_status kata_copy_of(kata_field *to, const kata_range &to_range, const kata_field *from,
                                const kata_copy_options &options)
{
    return kata_copy_with(to, &to_range, from, &options);
}

inline kata_points *kata_points_new_of(kata_grid *grid, const char *name,
                                       const kata_points_options &options)
{
    return kata_points_new_with(grid, name, &options);
}

template <class T>
kata_status kata_inject_of(kata_points *points, const T &values, const kata_target_options &options)
{
    const kata_arg arg = kata_arg_of(values);
    return kata_inject_with(points, &arg, &options);
}

inline kata_status kata_record_of(kata_points *points, kata_scalar *scalar,
                                  const kata_target_options &options)
{
    return kata_record_with(points, scalar, &options);
}

inline kata_until kata_until_of(kata_scalar *scalar, const kata_until_options &options)
{
    return kata_until_with(scalar, &options);
}

/* Naming members in braces is C++20; before that __extension__ keeps pedantic compilers quiet.
 * Members are named in the order in which kata.h declares them. */
#define kata_field_new(grid, name, ...)                                                            \
    kata_field_new_of(grid, name, __extension__ kata_field_options{.type = __VA_ARGS__})
#define KATA_FIRST(first, ...) first
#define kata_field_wrap(grid, name, type_, ...)                                                    \
    kata_field_wrap_of(grid, name, KATA_FIRST(__VA_ARGS__, 0),                                     \
                       __extension__ kata_wrap_options{.type = type_, .memory = __VA_ARGS__})
#define kata_boundary_linear(field, side, depth_, count_, ...)                                     \
    kata_boundary_linear_of(field, side,                                                           \
                            __extension__ kata_linear_options{                                     \
                                .depth = depth_, .count = count_, .weights = __VA_ARGS__})
#define kata_copy(to, to_range, from, ...)                                                         \
    kata_copy_of(to, to_range, from,                                                               \
                 __extension__ kata_copy_options{                                                  \
                     .file = __FILE__, .line = __LINE__, .from_range = __VA_ARGS__})
#define kata_points_new(grid, name, coordinates_, ...)                                             \
    kata_points_new_of(                                                                            \
        grid, name,                                                                                \
        __extension__ kata_points_options{.coordinates = coordinates_, .count = __VA_ARGS__})
#define kata_inject(points, values, ...)                                                           \
    kata_inject_of(points, values,                                                                 \
                   __extension__ kata_target_options{                                              \
                       .file = __FILE__, .line = __LINE__, .field = __VA_ARGS__})
#define kata_record(points, scalar, ...)                                                           \
    kata_record_of(points, scalar,                                                                 \
                   __extension__ kata_target_options{                                              \
                       .file = __FILE__, .line = __LINE__, .field = __VA_ARGS__})
#define KATA_UNTIL(scalar, above_, ...)                                                            \
    kata_until_of(scalar,                                                                          \
                  __extension__ kata_until_options{                                                \
                      .above = above_, .file = __FILE__, .line = __LINE__, .limit = __VA_ARGS__})
#define kata_until_below(scalar, ...) KATA_UNTIL(scalar, false, __VA_ARGS__)
#define kata_until_above(scalar, ...) KATA_UNTIL(scalar, true, __VA_ARGS__)
#define kata_save(field, ...)                                                                      \
    kata_save_of(field, __extension__ kata_save_options{.path = __VA_ARGS__})
#define kata_checkpoint(k, ...)                                                                    \
    kata_checkpoint_of(k, __extension__ kata_checkpoint_options{.path = __VA_ARGS__})
#define kata_series_new(field, ...)                                                                \
    kata_series_new_of(field, __extension__ kata_save_options{.path = __VA_ARGS__})
#define kata_module_load(k, ...)                                                                   \
    kata_module_load_of(k, __extension__ kata_module_options{.source = __VA_ARGS__})
#define kata_module_from_text(k, name, ...)                                                        \
    kata_module_from_text_of(k, name, __extension__ kata_module_options{.source = __VA_ARGS__})
#define kata_partition(k, ...)                                                                     \
    kata_partition_of(k, __extension__ kata_partition_options{.nx = __VA_ARGS__})
#define kata_grid_mesh(k, ...)                                                                     \
    kata_grid_mesh_of(k, __extension__ kata_mesh_options{.cells = __VA_ARGS__})
#define kata_module_compile(module, ...)                                                           \
    kata_module_compile_of(module, __extension__ kata_compile_options{.kernel = __VA_ARGS__})

#endif
