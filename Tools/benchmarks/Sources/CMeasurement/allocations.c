// Counts the allocations of each thread, by functions that the program puts before those of the C library.
// For __GLIBC__.
#include <stdlib.h>

#include "sqlite.h"

#ifdef __GLIBC__
static __thread long count;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

long allocation_count(void) { return count; }
#else
long allocation_count(void) { return -1; }
#endif
