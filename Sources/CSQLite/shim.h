// The distribution's SQLite, and what of it Swift cannot reach: variadic functions, casts between integers and
// destructors, and the layout of our own sqlite3_file.
#ifndef SEALITE_CSQLITE_SHIM_H
#define SEALITE_CSQLITE_SHIM_H

#include <fcntl.h>
#include <linux/stat.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The routine table that a host hands to an extension, without the macros that send every call through it: this library
// calls the libsqlite3 it is linked with, and checks that the host does too.
#ifndef SQLITE_CORE
#define SQLITE_CORE 1
#define SEALITE_UNDEFINE_CORE 1
#endif
#include <sqlite3ext.h>
#ifdef SEALITE_UNDEFINE_CORE
#undef SQLITE_CORE
#undef SEALITE_UNDEFINE_CORE
#endif

// What SQLite allocates for one of our open files. The base VFS's own file follows in the same allocation.
typedef struct sealite_file {
    sqlite3_file base;
    void *context;
} sealite_file;

// A virtual table of a connection. The object behind it, which may be missing, is ours.
typedef struct sealite_table {
    sqlite3_vtab base;
    void *context;
} sealite_table;

// A cursor of our virtual table. The object behind it is ours.
typedef struct sealite_cursor {
    sqlite3_vtab_cursor base;
    void *context;
} sealite_cursor;

// The device, inode and birth of a file: Swift sees no statx(2). Returns 0, else the file can't be asked, or the file system keeps no births.
static inline int sealite_file_birth(
    const char *path, unsigned long long *device, unsigned long long *inode, long long *seconds,
    unsigned int *nanoseconds) {
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &status) != 0) return -1;
    if ((status.stx_mask & STATX_BTIME) == 0) return -1;
    *device = (unsigned long long)status.stx_dev_major << 32 | status.stx_dev_minor;
    *inode = status.stx_ino;
    *seconds = status.stx_btime.tv_sec;
    *nanoseconds = status.stx_btime.tv_nsec;
    return 0;
}

static inline int sealite_declare_innocuous(sqlite3 *connection) {
    return sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
}

static inline int sealite_declare_direct_only(sqlite3 *connection) {
    return sqlite3_vtab_config(connection, SQLITE_VTAB_DIRECTONLY);
}

static inline void sealite_log(int code, const char *message) {
    sqlite3_log(code, "%s", message);
}

static inline char *sealite_copy_string(const char *text) {
    return sqlite3_mprintf("%s", text);
}

static inline int sealite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int sealite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// The encoding is 1 for UTF-8, 2 and 3 for UTF-16 with the low or the high byte first: SQLITE_UTF8 and so on.
static inline int sealite_bind_encoded(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length, unsigned char encoding) {
    return sqlite3_bind_text64(statement, index, (const char *)bytes, length, SQLITE_TRANSIENT, encoding);
}

static inline int sealite_configure(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

static inline int sealite_auto_extension(
    int (*entry)(sqlite3 *, char **, const struct sqlite3_api_routines *)) {
    return sqlite3_auto_extension((void (*)(void))entry);
}

// The hook for new connections: SealiteFile lets SQLite call it on each connection that is opened from then on. SealiteFunctions defines
// it, and so every program that links the document database, and the loadable extension; in other programs it is NULL. Swift can neither
// declare nor ask for a symbol that may be missing.
extern int sealite_new_connection(sqlite3 *, char **, const struct sqlite3_api_routines *) __attribute__((weak));

static inline int sealite_has_hook(void) {
    return sealite_new_connection != 0;
}

static inline int sealite_hook_new_connections(void) {
    return sealite_has_hook() ? sealite_auto_extension(sealite_new_connection) : SQLITE_OK;
}

static inline void sealite_result_text(sqlite3_context *context, const char *text, int length) {
    sqlite3_result_text(context, text, length, SQLITE_TRANSIENT);
}

// memmem(3), which the C library shows only to those who ask for all of GNU's.
extern void *memmem(const void *text, size_t length, const void *part, size_t part_length);

static inline const void *sealite_find(const void *text, size_t length, const void *part, size_t part_length) {
    return memmem(text, length, part, part_length);
}

// A file without a name in a folder, for reading and writing and with mode 0600: its descriptor, or -1 and errno. Swift sees no O_TMPFILE.
static inline int sealite_open_unnamed(const char *folder) {
#ifndef O_TMPFILE
#define SEALITE_TMPFILE (020000000 | O_DIRECTORY)
#else
#define SEALITE_TMPFILE O_TMPFILE
#endif
    return open(folder, SEALITE_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

// renameat2(2) with RENAME_NOREPLACE, which Swift's view of the C library doesn't have: 0, or -1 and errno.
static inline int sealite_rename_new(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u);
}

#endif
