/* Prints the kernel file that katagami_embed made part of this program. */
#include "heat_kata.h"

#include <stdio.h>

int main(void)
{
    return fputs(heat_kata, stdout) < 0;
}
