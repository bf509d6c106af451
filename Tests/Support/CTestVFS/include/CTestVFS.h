// What the test file systems need from C: the layout of an open file, and a hash that stays fast in a debug build.
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

#endif
