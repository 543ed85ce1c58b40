// Prints the kernel text that katagami_embed put into this program.
#include "heat_kata.h"

#include <cstdio>

int main() { return std::fputs(heat_kata, stdout) < 0; }
