/* Private to machine: the processor. */
#ifndef MACHINE_PROCESSOR_H
#define MACHINE_PROCESSOR_H

/* The model's name, "" when it is not known. */
void machine_processor(char model[128]);
/* The widest vector extension, as in struct machine. */
const char *machine_simd(void);

#endif
