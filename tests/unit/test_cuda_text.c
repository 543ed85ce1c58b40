/* The CUDA text of every kernel file of the project becomes code of devices of both kinds that are
 * common, sm_80 and sm_90, by NVRTC: of each kernel that runs on devices, with its fields stored as
 * the kernel has them, and narrower. Skipped where there is no NVRTC.
 *
 * Where KATA_TEST_FULL is 1, each text is compiled for both. Else it is every 27th one of kernels
 * of applications, of the bench and of examples as they are, and every 87th of all others. Texts
 * that the same NVRTC has compiled before are noted in the cache folder. */
/* Labels: slow */
#include "codegen/codegen.h"
#include "device/device.h"
#include "lang/lang.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    LARGEST_FILE = 1 << 20,
    ONE_OF = 7,
    MOST_PARAMS = 256,
    MOST_FILES = 2000,
    MOST_FAILURES = 5
};

static const char *const targets[] = {"sm_80", "sm_90"};

static char compiler[33]; /* a hash of what says which one it is */
static char *paths[MOST_FILES];
static int path_count;
static int kernel_count, refused_count, text_count, known_count, failure_count;

/* ---- files ----------------------------------------------------------------------------------- */

static int note_file(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)place;
    const char *dot = strrchr(path, '.');
    if (kind == FTW_F && dot && strcmp(dot, ".kata") == 0 && path_count < MOST_FILES)
        paths[path_count++] = strdup(path);
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_files(void **state)
{
    (void)state;
    static const char *const folders[] = {"apps", "bench", "examples", "tests"};
    const char *root = environment_get("KATA_SOURCE");
    if (root && chdir(root)) return -1;
    for (size_t i = 0; i < COUNT_OF(folders); i++) nftw(folders[i], note_file, 20, FTW_PHYS);
    qsort(paths, (size_t)path_count, sizeof *paths, compare_paths);
    return path_count > 0 && path_count < MOST_FILES ? 0 : -1;
}

static int forget_files(void **state)
{
    (void)state;
    while (path_count) free(paths[--path_count]);
    return 0;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The file that says that a text was compiled for a target. */
static void note_path(const char *source, const char *target, text *path)
{
    text basis = {0};
    char hash[33];
    text_add(&basis, "%s\n%s\n%s", compiler, target, source);
    hash_hex(basis.data, basis.length, hash);
    text_add(path, "%s/%s.compiled", getenv("KATA_CACHE_DIR"), hash);
    text_free(&basis);
}

/* Each kernel has four, with the targets: an odd number chooses among all kinds. */
static bool is_chosen(const char *file, bool usual)
{
    static int number;
    const char *full = environment_get("KATA_TEST_FULL");
    const int own = number++;
    if (full && full[0] == '1') return true;
    return own % (usual && strncmp(file, "tests/", 6) != 0 ? 27 : 87) == 0;
}

static void compile(const char *file, const char *kernel, bool usual, const char *source)
{
    for (size_t t = 0; t < COUNT_OF(targets); t++) {
        if (!is_chosen(file, usual)) continue;
        text log = {0}, note = {0};
        device_binary binary = {0};
        note_path(source, targets[t], &note);
        text_count++;
        if (access(text_get(&note), F_OK) == 0) {
            known_count++;
        } else if (!device_compile_for(targets[t], source, &binary, &log)) {
            if (failure_count++ < MOST_FAILURES)
                print_error("%s: kernel %s does not compile for %s:\n%.3000s\n", file, kernel,
                            targets[t], text_get(&log));
        } else {
            assert_int_equal(file_write(text_get(&note), "", 0), 0);
        }
        free(binary.bytes);
        text_free(&log);
        text_free(&note);
    }
}

/* How fields are stored: as the kernel has them, or in half of the bits and fewer. */
static kata_type storage_of(const ir_param *param, int variant)
{
    static const kata_type narrow[] = {KATA_F16, KATA_BF16, KATA_F32, KATA_I16, KATA_U8};
    const kata_type usual = ir_storage_of_type(param->type);
    for (size_t i = 0; i < COUNT_OF(narrow) && variant; i++) {
        const kata_type type = narrow[(i + (size_t)variant - 1) % COUNT_OF(narrow)];
        if (ir_param_is_field(param) && ir_storage_suits(type, param->type)) return type;
    }
    return usual;
}

/* As is chosen; or, for variants, wide numbers of elements, without vectors or chunks. */
static codegen_shape shape_of(const codegen_loop *loop, int variant)
{
    codegen_shape shape = codegen_choose_shape(loop, variant > 0);
    if (variant == 1) codegen_change_vector(loop, &shape, 1);
    if (variant == 2) codegen_change_chunk(loop, &shape, 1, 0);
    return shape;
}

static void compile_kernel(const char *file, const ir_kernel *kernel)
{
    static int variant; /* the next of 0 natural, 1, 2 narrow: each kernel has two of them */
    kata_type storage[MOST_PARAMS];
    assert_true(kernel->param_count <= MOST_PARAMS);
    const codegen_loop plain = {.kernel = kernel};
    kernel_count++;
    if (codegen_device_refuses(&plain)) {
        refused_count++;
        return;
    }
    variant = variant % 2 + 1;
    for (int v = 0; v <= variant; v += variant) {
        text source = {0};
        for (int p = 0; p < kernel->param_count; p++)
            storage[p] = storage_of(&kernel->params[p], v);
        const codegen_loop loop = {
            .kernel = kernel, .storage = storage, .apart = v == 0, .colored = v == 2};
        const codegen_shape shape = shape_of(&loop, v);
        codegen_device_text(&source, &loop, &shape, CODEGEN_CUDA);
        assert_false(source.failed);
        compile(file, kernel->name, v == 0, text_get(&source));
        text_free(&source);
    }
}

/* ---- sections -------------------------------------------------------------------------------- */

static int section_count;

/* In the first two of the tiles in which a loop may run with others at once, of those that hand on
 * some parameter: between sides that are constant, and that clamp. */
static void compile_sections(const char *file, const ir_kernel *kernel)
{
    enum { LOCAL = 227 << 10, FEW = 2 };
    static const int mirrors =
        CODEGEN_MIRRORS_X | CODEGEN_MIRRORS_Y | CODEGEN_MIRRORS_BELOW | CODEGEN_MIRRORS_ABOVE;
    kata_type storage[MOST_PARAMS];
    codegen_section sections[CODEGEN_MOST_SECTIONS];
    const codegen_loop loop = {.kernel = kernel, .storage = storage, .apart = true};
    for (int p = 0; p < kernel->param_count; p++) storage[p] = storage_of(&kernel->params[p], 0);
    for (int from = 0; from < kernel->param_count; from++) {
        codegen_section like = {.from = from, .wide = from % 2};
        if (!ir_param_is_field(&kernel->params[from]) ||
            !codegen_section_suits(&loop, from, &like.to))
            continue;
        const int count = codegen_list_sections(&loop, &like, LOCAL, sections);
        for (int i = 0; i < count && i < FEW; i++) {
            text source = {0};
            if (i % 2) sections[i].mirrors = mirrors;
            codegen_section_text(&source, &loop, &sections[i], CODEGEN_CUDA);
            assert_false(source.failed);
            compile(file, kernel->name, false, text_get(&source));
            text_free(&source);
            section_count++;
        }
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static int tile_count;

/* In the first two of the tiles in which a loop that reads far may run, of fields as they are and
 * of narrower ones. */
static void compile_tiles(const char *file, const ir_kernel *kernel)
{
    enum { LOCAL = 227 << 10, FEW = 2 };
    kata_type storage[MOST_PARAMS];
    codegen_shape shapes[CODEGEN_MOST_TILES];
    const codegen_loop loop = {.kernel = kernel, .storage = storage, .apart = true};
    for (int variant = 0; variant < FEW; variant++) {
        for (int p = 0; p < kernel->param_count; p++)
            storage[p] = storage_of(&kernel->params[p], variant);
        const int count = codegen_list_tiles(&loop, variant > 0, LOCAL, shapes);
        for (int i = 0; i < count && i < FEW; i++) {
            text source = {0};
            codegen_device_text(&source, &loop, &shapes[i], CODEGEN_CUDA);
            assert_false(source.failed);
            compile(file, kernel->name, false, text_get(&source));
            text_free(&source);
            tile_count++;
        }
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Load-time constants from a file's first line, as tests/language has them. */
static void find_constants(const char *program, char constants[200])
{
    static const char start[] = "// constants: ";
    constants[0] = 0;
    if (strncmp(program, start, sizeof start - 1) == 0)
        snprintf(constants, 200, "%.*s", (int)strcspn(program + sizeof start - 1, "\n"),
                 program + sizeof start - 1);
}

/* Files that are wrong, which tests/language has, have no kernels. */
static void compile_file(const char *path)
{
    char *program, constants[200];
    size_t size;
    assert_int_equal(file_read(path, LARGEST_FILE, &program, &size), 0);
    find_constants(program, constants);
    const lang_options options = {.constants = constants[0] ? constants : NULL, .path = path};
    messages m = {.silent = true};
    lang_module *module = NULL;
    if (lang_compile(path, program, size, &options, &m, &module) == KATA_OK) {
        for (int i = 0; i < module->count; i++) {
            compile_kernel(path, module->kernels[i]);
            compile_sections(path, module->kernels[i]);
            compile_tiles(path, module->kernels[i]);
            if (module->f32_versions[i]) compile_kernel(path, module->f32_versions[i]);
        }
    }
    lang_module_free(module);
    message_free(&m);
    free(program);
}

static void kernels_of_all_files_are_compiled(void **state)
{
    (void)state;
    for (int i = 0; i < path_count; i++) compile_file(paths[i]);
    print_message("%d kernels in %d files, %d not for devices; %d sections; %d tiles; %d texts, %d "
                  "of them known\n",
                  kernel_count, path_count, refused_count, section_count, tile_count, text_count,
                  known_count);
    assert_true(section_count > 50);
    assert_true(tile_count > 8);
    assert_int_equal(failure_count, 0);
    assert_true(kernel_count > 300 && kernel_count > 2 * refused_count);
}

static void fills_of_all_types_are_compiled(void **state)
{
    (void)state;
    for (int i = 0; i < IR_STORAGE_COUNT; i++) {
        const kata_type type = (kata_type)i;
        text source = {0};
        codegen_fill_text(&source, type, CODEGEN_CUDA);
        compile("fills", ir_storages[type].name, true, text_get(&source));
        text_free(&source);
    }
    assert_int_equal(failure_count, 0);
}

static void points_of_all_types_are_compiled(void **state)
{
    (void)state;
    text sums = {0};
    for (int i = 0; i < 4 * IR_STORAGE_COUNT; i++) {
        const kata_type type = (kata_type)(i / 4);
        const codegen_sparse of = {type, i % 2 ? KATA_F32 : type, i % 2, i / 2 % 2};
        text source = {0};
        if (!ir_type_is_floating(ir_type_of_storage(type))) continue;
        codegen_sparse_text(&source, &of, CODEGEN_CUDA);
        compile("points", ir_storages[type].name, true, text_get(&source));
        text_free(&source);
    }
    codegen_sums_text(&sums, CODEGEN_CUDA);
    compile("points", "sums", true, text_get(&sums));
    text_free(&sums);
    assert_int_equal(failure_count, 0);
}

/* An assembler text, which any later device is given, names the compiler and its version. */
static bool find_compiler(void)
{
    text log = {0};
    device_binary binary = {0};
    const bool found = device_compile_for("sm_999", "", &binary, &log);
    if (found) hash_hex(binary.bytes, binary.count, compiler);
    if (!found) print_message("skipped: %s\n", text_get(&log));
    free(binary.bytes);
    text_free(&log);
    return found;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_of_all_files_are_compiled),
                                              cmocka_unit_test(fills_of_all_types_are_compiled),
                                              cmocka_unit_test(points_of_all_types_are_compiled)};
    return find_compiler() ? cmocka_run_group_tests(tests, find_files, forget_files) : 77;
}
