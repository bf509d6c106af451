// What the test file systems need from C: the layout of an open file, a hash that stays fast in a debug build, and a
// setting for new connections.
#ifndef SEALITE_CTESTVFS_H
#define SEALITE_CTESTVFS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/// An open file as SQLite allocates it: its own part first, then the Swift object that answers for it.
typedef struct ctestvfs_file {
    sqlite3_file base;
    void *object;
} ctestvfs_file;

/// Folds `count` bytes into the running FNV-1a hash `hash`.
uint64_t ctestvfs_fold(uint64_t hash, const void *bytes, size_t count);

/// Whether connections that the calling thread opens from now on begin with `PRAGMA secure_delete=OFF`, SQLite's own default, which
/// Debian's library changes. Returns an SQLite result code. https://sqlite.org/c3ref/auto_extension.html
int ctestvfs_secure_delete_off(int is_off);

#endif
