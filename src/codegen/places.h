/* Where elements are that are found at run time. Generated code contains this text, on devices,
 * too. */

#define KATA_INLINED static inline __attribute__((unused, always_inline))

/* x, or the nearest end of low to high. */
KATA_INLINED int64_t kata_between(int64_t low, int64_t x, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* An index of a row that wraps: beyond its sides are the indices a period away. */
KATA_INLINED ABI_STEP kata_wrapped(ABI_STEP i, ABI_STEP period, ABI_STEP end)
{
    return i < 0 ? i + period : i >= end ? i - period : i;
}

/* The same of an index along dimension d of a field that wraps, in the kernel of a device. */
#define KATA_ROUND(i, d)                                                                           \
    kata_wrapped(i, (ABI_STEP)given.launch.size[d], (ABI_STEP)given.launch.size[d])

/* The index from low to high - 1 that one stands for: a period away, where there is one, or the
 * nearest. */
KATA_INLINED ABI_STEP kata_placed(ABI_STEP i, int64_t low, int64_t high, int64_t period)
{
    const ABI_STEP first = (ABI_STEP)low, last = (ABI_STEP)high - 1, by = (ABI_STEP)period;
    const ABI_STEP at = i < first ? i + by : i > last ? i - by : i;
    return at < first ? first : at > last ? last : at;
}

/* The number of the table element that is nearest to an index; the first element is at `low`. */
KATA_INLINED int32_t kata_element_i32(int32_t index, int32_t low, int32_t count)
{
    const int32_t last = low + (count - 1);
    return (index < low ? low : index > last ? last : index) - low;
}

KATA_INLINED int64_t kata_element_i64(int64_t index, int64_t low, int64_t count)
{
    const int64_t last = low + (count - 1);
    return (index < low ? low : index > last ? last : index) - low;
}

/* Where an element of a component is that is chosen when it is read. */
KATA_INLINED const ABI_GLOBAL void *kata_at(const abi_view *view, int64_t x, int64_t y, int64_t z,
                                            int64_t bytes, int strided)
{
    const int64_t row = y * view->y + z * view->z;
    return (const ABI_GLOBAL char *)view->origin + (row + (strided ? x * view->x : x)) * bytes;
}
