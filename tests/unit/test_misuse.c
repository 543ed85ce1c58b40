/* Each misuse of the interface gives its own message, exactly the text of tests/misuse/NAME.txt,
 * once, and its status. With KATA_FIXTURES_UPDATE=1 the texts are written instead of compared. */
#include "misuse.h"
#include "misuse_texts.h"

static const char kernels[] = "kernel heat(in double u, out double v, double c)\n"
                              "{\n"
                              "    v = u + c*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u);\n"
                              "}\n"
                              "kernel in_place(inout double u)\n"
                              "{\n"
                              "    u = u[-1,0];\n"
                              "}\n"
                              "kernel line(in double u, out double v)\n"
                              "{\n"
                              "    v = u[3];\n"
                              "}\n"
                              "kernel two(out double a, out double b)\n"
                              "{\n"
                              "    a = 1; b = 2;\n"
                              "}\n"
                              "kernel count(out int n, int by)\n"
                              "{\n"
                              "    n = by;\n"
                              "}\n"
                              "kernel weigh(in double u, out double v, double w[3])\n"
                              "{\n"
                              "    v = w[0]*u + w[1] + w[2];\n"
                              "}\n"
                              "kernel total(in double u, sum double s, sum double t)\n"
                              "{\n"
                              "    s += u; t += 2*u;\n"
                              "}\n"
                              "kernel flow(in double f[9], out double rho)\n"
                              "{\n"
                              "    rho = f[0] + f[8];\n"
                              "}\n"
                              "kernel pick(in double u, out double v, double w[3])\n"
                              "{\n"
                              "    v = w[(int)u + ix];\n"
                              "}\n"
                              "kernel safe(in double u, double limit)\n"
                              "{\n"
                              "    assert(u + ix < limit, \"it grows\");\n"
                              "}\n";

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    assert_int_not_equal(status, KATA_OK);
    snprintf(w->message, sizeof w->message, "%s", message);
    w->messages++;
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive, .handler_data = w});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, 8, 6);
    w->u = kata_field_new(w->g, "u", KATA_F64);
    w->v = kata_field_new(w->g, "v", KATA_F64);
    assert_true(kata_ok(w->k));
}

static void expect_message(const misuse *m)
{
    world w;
    open_world(&w);
    assert_int_equal(m->commit(&w), m->status);
    assert_int_equal(w.messages, 1);
    assert_int_equal(kata_error(w.k), m->status);
    assert_string_equal(kata_error_message(w.k), w.message);
    expect_text(m->name, w.message);
    assert_int_equal(kata_close(w.k), m->status);
}

static void test_each_misuse_has_its_message(void **state)
{
    (void)state;
    static const misuse *const all[] = {misuse_points, misuse_arguments, misuse_data};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const misuse *m = all[i]; m->name; m++) expect_message(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_misuse_has_its_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
