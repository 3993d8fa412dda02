// Counts what the process writes at positions of files, as SQLite does, and how many times it waits for the disk, by
// functions that the program puts before those of the C library.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sqlite.h"

#if defined __GLIBC__ && defined __LP64__
static atomic_long synchronizations, bytes;

static ssize_t write_at(int descriptor, const void *content, size_t size, long offset) {
    ssize_t written = syscall(SYS_pwrite64, descriptor, content, size, offset);
    if (written > 0) atomic_fetch_add_explicit(&bytes, written, memory_order_relaxed);
    return written;
}

ssize_t pwrite(int descriptor, const void *content, size_t size, off_t offset) {
    return write_at(descriptor, content, size, offset);
}

ssize_t pwrite64(int descriptor, const void *content, size_t size, off64_t offset) {
    return write_at(descriptor, content, size, offset);
}

int fsync(int descriptor) {
    atomic_fetch_add_explicit(&synchronizations, 1, memory_order_relaxed);
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    atomic_fetch_add_explicit(&synchronizations, 1, memory_order_relaxed);
    return (int)syscall(SYS_fdatasync, descriptor);
}

write_counts count_writes(void) { return (write_counts){synchronizations, bytes}; }
#else
write_counts count_writes(void) { return (write_counts){-1, -1}; }
#endif
