/* The calls of kata.h as one writes them in C++17: the same text as in C. Included by kata.h. */
#ifndef KATA_KATA_HPP
#define KATA_KATA_HPP

#ifndef KATA_KATA_H
#include "kata/kata.h"
#endif

/* Where a call is written: filled in by the compiler at the place of the call. */
struct kata_kernel_here {
    kata_kernel *kernel;
    kata_kernel_here(kata_kernel *k, const char *file = __builtin_FILE(),
                     int line = __builtin_LINE())
        : kernel(kata_here(k, file, line))
    {
    }
};

inline kata_arg kata_arg_of(kata_field *x) { return kata_arg_field(x, sizeof x); }
inline kata_arg kata_arg_of(kata_scalar *x) { return kata_arg_scalar(x, sizeof x); }
inline kata_arg kata_arg_of(kata_arg x) { return x; }
inline kata_arg kata_arg_of(bool x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(char x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(signed char x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(unsigned char x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(short x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(unsigned short x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(int x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(unsigned x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(long x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(long long x) { return kata_arg_integer(x, sizeof x); }
inline kata_arg kata_arg_of(unsigned long x) { return kata_arg_unsigned(x, sizeof x); }
inline kata_arg kata_arg_of(unsigned long long x) { return kata_arg_unsigned(x, sizeof x); }
inline kata_arg kata_arg_of(float x) { return kata_arg_floating(static_cast<double>(x), sizeof x); }
inline kata_arg kata_arg_of(double x) { return kata_arg_floating(x, sizeof x); }

constexpr kata_type kata_type_of(const double *) { return KATA_F64; }
constexpr kata_type kata_type_of(const float *) { return KATA_F32; }
constexpr kata_type kata_type_of(const int *) { return KATA_I32; }
constexpr kata_type kata_type_of(const int64_t *) { return KATA_I64; }

template <class T, size_t N> kata_arg kata_arg_of(const T (&table)[N])
{
    return kata_table_of(kata_type_of(table), table, N);
}

template <class... Args>
kata_status kata_apply(kata_kernel_here here, const kata_range &range, const Args &...args)
{
    const kata_arg list[] = {kata_arg{}, kata_arg_of(args)...};
    return kata_apply_args(here.kernel, &range, static_cast<int>(sizeof...(args)), list + 1);
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

inline kata_field *kata_field_new_of(kata_grid *grid, const char *name,
                                     const kata_field_options &options)
{
    return kata_field_new_with(grid, name, &options);
}

inline kata_status kata_save_of(kata_field *field, const kata_save_options &options)
{
    return kata_save_with(field, &options);
}

/* Naming members in braces is C++20; before that __extension__ keeps pedantic compilers quiet. */
#define kata_field_new(grid, name, ...)                                                            \
    kata_field_new_of(grid, name, __extension__ kata_field_options{.type = __VA_ARGS__})
#define kata_save(field, ...)                                                                      \
    kata_save_of(field, __extension__ kata_save_options{.path = __VA_ARGS__})

#endif
