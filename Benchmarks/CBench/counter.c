// A VFS over another that counts what passes, by kind of file.
#include "CBench.h"
#include <sqlite3.h>
#include <string.h>

typedef struct {
    sqlite3_file base;
    int kind;
    sqlite3_file *below;
} counted_file;

static bench_traffic traffic;
static sqlite3_vfs counter;
static sqlite3_vfs *below;

static sqlite3_file *file_below(sqlite3_file *file) { return ((counted_file *)file)->below; }

static void count(long *kinds, sqlite3_file *file, int bytes) {
    if (bytes >= 1024) kinds[((counted_file *)file)->kind] += bytes;
}

static int counted_close(sqlite3_file *f) { return file_below(f)->pMethods->xClose(file_below(f)); }
static int counted_read(sqlite3_file *f, void *to, int bytes, sqlite3_int64 at) {
    count(traffic.read, f, bytes);
    return file_below(f)->pMethods->xRead(file_below(f), to, bytes, at);
}
static int counted_write(sqlite3_file *f, const void *from, int bytes, sqlite3_int64 at) {
    count(traffic.written, f, bytes);
    return file_below(f)->pMethods->xWrite(file_below(f), from, bytes, at);
}
static int counted_truncate(sqlite3_file *f, sqlite3_int64 s) {
    return file_below(f)->pMethods->xTruncate(file_below(f), s);
}
static int counted_sync(sqlite3_file *f, int flags) { return file_below(f)->pMethods->xSync(file_below(f), flags); }
static int counted_size(sqlite3_file *f, sqlite3_int64 *s) {
    return file_below(f)->pMethods->xFileSize(file_below(f), s);
}
static int counted_lock(sqlite3_file *f, int l) { return file_below(f)->pMethods->xLock(file_below(f), l); }
static int counted_unlock(sqlite3_file *f, int l) { return file_below(f)->pMethods->xUnlock(file_below(f), l); }
static int counted_reserved(sqlite3_file *f, int *r) {
    return file_below(f)->pMethods->xCheckReservedLock(file_below(f), r);
}
static int counted_control(sqlite3_file *f, int op, void *arg) {
    return file_below(f)->pMethods->xFileControl(file_below(f), op, arg);
}
static int counted_sector(sqlite3_file *f) { return file_below(f)->pMethods->xSectorSize(file_below(f)); }
static int counted_device(sqlite3_file *f) { return file_below(f)->pMethods->xDeviceCharacteristics(file_below(f)); }
static int counted_map(sqlite3_file *f, int region, int size, int extend, void volatile **memory) {
    return file_below(f)->pMethods->xShmMap(file_below(f), region, size, extend, memory);
}
static int counted_shm_lock(sqlite3_file *f, int offset, int n, int flags) {
    return file_below(f)->pMethods->xShmLock(file_below(f), offset, n, flags);
}
static void counted_barrier(sqlite3_file *f) { file_below(f)->pMethods->xShmBarrier(file_below(f)); }
static int counted_unmap(sqlite3_file *f, int remove) {
    return file_below(f)->pMethods->xShmUnmap(file_below(f), remove);
}

static const sqlite3_io_methods methods = {
    2,
    counted_close,
    counted_read,
    counted_write,
    counted_truncate,
    counted_sync,
    counted_size,
    counted_lock,
    counted_unlock,
    counted_reserved,
    counted_control,
    counted_sector,
    counted_device,
    counted_map,
    counted_shm_lock,
    counted_barrier,
    counted_unmap,
    0,
    0,
};

static int kind_of(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return BENCH_MAIN;
    if (flags & SQLITE_OPEN_WAL) return BENCH_WAL;
    if (flags & SQLITE_OPEN_MAIN_JOURNAL) return BENCH_JOURNAL;
    return BENCH_TEMPORARY;
}

static int counted_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *granted) {
    counted_file *counted = (counted_file *)file;
    (void)vfs;
    counted->base.pMethods = 0;
    counted->kind = kind_of(flags);
    counted->below = (sqlite3_file *)(counted + 1);
    int code = below->xOpen(below, name, counted->below, flags, granted);
    if (code == SQLITE_OK) counted->base.pMethods = &methods;
    return code;
}

int bench_register_counter(const char *name) {
    if (counter.zName) return SQLITE_OK;
    below = sqlite3_vfs_find("unix");
    if (!below) return SQLITE_NOTFOUND;
    counter = *below;
    counter.pNext = 0;
    counter.zName = name;
    counter.szOsFile = (int)sizeof(counted_file) + below->szOsFile;
    counter.xOpen = counted_open;
    return sqlite3_vfs_register(&counter, 0);
}

bench_traffic bench_take_traffic(void) {
    bench_traffic taken = traffic;
    memset(&traffic, 0, sizeof traffic);
    return taken;
}
