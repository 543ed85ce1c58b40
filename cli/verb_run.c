/* kata run: the simulations. */
#include "cli.h"

#include "apps.h"

#include <string.h>

static void list(FILE *to)
{
    fprintf(to, "usage: kata run APPLICATION [options]\n\n");
    int width = 0;
    for (const application *a = applications; a->name; a++)
        if ((int)strlen(a->name) > width) width = (int)strlen(a->name);
    for (const application *a = applications; a->name; a++)
        fprintf(to, "  %-*s  %s\n", width, a->name, a->summary);
    fprintf(to, "\nkata run APPLICATION --help explains its options.\n");
}

int verb_run(int argc, char **argv)
{
    if (argc < 2) {
        list(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        list(stdout);
        return 0;
    }
    if (option_alone_has_value("kata run", name)) return EXIT_USAGE;
    spelling s = spelling_of(name);
    for (const application *a = applications; a->name; a++) {
        if (!strcmp(a->name, name)) return a->main(argc - 1, argv + 1);
        spelling_try(&s, a->name);
    }
    no_such("kata run", "application", &s);
    list(stderr);
    return EXIT_USAGE;
}
