/*
 * The loadable extension of SQLite that opens sealed databases, for programs in C and C++. A program loads it by
 * sqlite3_load_extension(connection, SEALITEVFS_LIBRARY, NULL, &message), unlocks a file by one of the SQL functions below, and
 * opens it by the URI that the function returned, with SQLITE_OPEN_URI. The manual: Documentation/Extension.md.
 *
 * pkg-config knows it as sealitevfs; it links libsqlite3, not the extension.
 */
#ifndef SEALITEVFS_H
#define SEALITEVFS_H

#include <sqlite3.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What sqlite3_load_extension loads: by this name where the package libsealitevfs put it, otherwise by its path. */
#define SEALITEVFS_LIBRARY "libsealitevfs.so"

/* The VFS that the extension registers, as in "file:notes.db?vfs=sealite". */
#define SEALITEVFS_NAME "sealite"

/*
 * The entry point, which SQLite calls. It returns SQLITE_OK_LOAD_PERMANENTLY, or SQLITE_ERROR with a reason in *message. Don't call
 * it without the table of functions that SQLite passes: it refuses a program that has another copy of SQLite.
 */
struct sqlite3_api_routines;
int sqlite3_sealitevfs_init(sqlite3 *connection, char **message, const struct sqlite3_api_routines *routines);

/* SQL functions. Each takes the path of the database first, and returns the URI to open it by. */
#define SEALITEVFS_UNLOCK_KEY_FILE "sealite_unlock_key_file"                   /* (path, file) */
#define SEALITEVFS_UNLOCK_PASSPHRASE_FILE "sealite_unlock_passphrase_file"     /* (path, file) */
#define SEALITEVFS_UNLOCK_RECOVERY_KEY_FILE "sealite_unlock_recovery_key_file" /* (path, file) */
#define SEALITEVFS_UNLOCK_FD "sealite_unlock_fd"                               /* (path, descriptor) of a passphrase */
#define SEALITEVFS_UNLOCK_KEY_FD "sealite_unlock_key_fd"                       /* (path, descriptor) */
#define SEALITEVFS_UNLOCK_RECOVERY_KEY_FD "sealite_unlock_recovery_key_fd"     /* (path, descriptor) */

/* Other SQL functions. */
#define SEALITEVFS_LOCK "sealite_lock"                             /* (path): wipes the keys of the file */
#define SEALITEVFS_FAILURE "sealite_failure"                       /* () or (path): the reason for a failure, or NULL */
#define SEALITEVFS_ALLOW_PLAIN_COPIES "sealite_allow_plain_copies" /* (0 or 1), in the sqlite3 shell */
#define SEALITEVFS_VERSION "sealite_version"                       /* () */

#ifdef __cplusplus
}
#endif

#endif
