// What the benchmark needs from C: a file system that counts, calls of malloc and getrandom counted, and the price of a
// page in OpenSSL itself.
#ifndef SEALITE_CBENCH_H
#define SEALITE_CBENCH_H

/// Bytes that passed in calls of 1 KiB or more: whole pages, frames and units, not headers and counters.
typedef struct {
    long read[4];
    long written[4];
} bench_traffic;

/// What `read` and `written` are indexed by.
enum { BENCH_MAIN = 0, BENCH_WAL = 1, BENCH_JOURNAL = 2, BENCH_TEMPORARY = 3 };

/// Registers a VFS over "unix" that counts. Returns a result code of SQLite.
int bench_register_counter(const char *name);
/// What passed since the last call.
bench_traffic bench_take_traffic(void);

/// Calls of malloc, calloc, realloc, aligned_alloc and posix_memalign in this process.
long bench_allocations(void);
/// Calls of getrandom(2) in this process.
long bench_random_calls(void);

/// CPU nanoseconds that AES-256-GCM takes for `bytes` bytes and 32 of associated data: the key stays, the nonce is reset.
/// The fastest of several short runs; below 0 where OpenSSL fails.
double bench_page_cost(int sealing, int bytes);

/// Runs a program, its output to /dev/null. Its peak memory in KiB, or -1 where it failed.
long bench_peak_memory(char *const *arguments);

#endif
