/* Standard input, output and error of a process that was started without them. The next files that
 * it opens would get their numbers, and what is printed would go into these files. */
#include "base/base.h"

#include <fcntl.h>
#include <unistd.h>

void file_hold_standard(void)
{
    for (int number = 0; number < 3; number++) {
        if (fcntl(number, F_GETFD) >= 0) continue;
        const int file = open("/dev/null", number ? O_RDONLY : O_WRONLY);
        if (file > number) close(file); /* another thread has opened something */
    }
}
