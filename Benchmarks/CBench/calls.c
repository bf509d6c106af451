// Stand in front of the C library's functions of the same names, in the benchmark's own process, to count their calls. The
// benchmark has one thread.
#include "CBench.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long allocations, random_calls;

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    allocations++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
    random_calls++;
    return syscall(SYS_getrandom, buffer, size, flags);
}

long bench_allocations(void) { return allocations; }
long bench_random_calls(void) { return random_calls; }
