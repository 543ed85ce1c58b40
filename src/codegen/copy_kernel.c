/* The kernel that copies between fields on a device: a thread copies an element, whatever its type
 * is. Threads follow one another along x of the field that is written. */
#include "codegen/emit.h"

static const char kernel[] =
    "\n%s" CODEGEN_COPY_NAME "(const abi_copy copy, ABI_GLOBAL %s *to, ABI_GLOBAL const %s *from)\n"
    "{\n"
    "    const int64_t n = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0), c = KATA_GROUP(1);\n"
    "    const int64_t row = n / copy.size[0], x = n %% copy.size[0];\n"
    "    const int64_t y = row %% copy.size[1], z = row / copy.size[1];\n"
    "    if (z < copy.size[2])\n"
    "        to[copy.to + c * copy.to_component + x * copy.to_step[0] + y * copy.to_step[1] +\n"
    "           z * copy.to_step[2]] =\n"
    "            from[copy.from + c * copy.from_component + x * copy.from_step[0] +\n"
    "                 y * copy.from_step[1] + z * copy.from_step[2]];\n"
    "}\n";

void codegen_copy_function(text *out, int bytes, const codegen_dialect *dialect)
{
    const char *type = bytes == 1   ? "uint8_t"
                       : bytes == 2 ? "uint16_t"
                       : bytes == 4 ? "uint32_t"
                                    : "uint64_t";
    text_add(out, kernel, dialect->function, type, type, CODEGEN_COPY_THREADS);
}
