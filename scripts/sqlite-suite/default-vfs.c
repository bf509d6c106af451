/* Linked into SQLite's testfixture, and into GRDB's tests: makes every database of the suite reserve 48 bytes in each page, and, if
** SEALITE_SUITE_EXTENSION names libsealitevfs.so, every database file a sealed one.
**
** Sealed files take their keys from an unlocked file, SEALITE_SUITE_ANCHOR (key: SEALITE_SUITE_KEY). Its database id is the value of
** the URI parameter that the sealing VFS asks for where several databases are unlocked. A file that a closed connection made has to be
** unlocked before it is opened again.
**
** testfixture contains its own SQLite, whose functions build.sh renames. GRDB's tests use the system's library: they are compiled with
** SEALITE_SUITE_OF_SYSTEM, and the functions that this file defines are found before those of the library. */
#ifdef SEALITE_SUITE_OF_SYSTEM
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

#ifndef SEALITE_SUITE_OF_SYSTEM
/* The names under which build.sh lets sqlite3.c define its own functions. */
int sqlite3_auto_extension_of_sqlite(void (*)(void));
const char *sqlite3_uri_parameter_of_sqlite(sqlite3_filename, const char *);

/* Read by sqlite3BtreeOpen for a file without pages. */
int sealite_suite_reserve = 48;
#else
#define sqlite3_auto_extension_of_sqlite ((int (*)(void (*)(void)))dlsym(RTLD_NEXT, "sqlite3_auto_extension"))
#define sqlite3_uri_parameter_of_sqlite ((const char *(*)(const char *, const char *))dlsym(RTLD_NEXT, "sqlite3_uri_parameter"))
#define sqlite3_open_v2_of_sqlite ((int (*)(const char *, sqlite3 **, int, const char *))dlsym(RTLD_NEXT, "sqlite3_open_v2"))
#endif

static sqlite3_vfs *sealing;
static int (*openSealed)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static int sealedByteCount;
/* The methods of a sealed database file, and the same with readUnlocked. */
static sqlite3_io_methods sealed, reading;
static pthread_mutex_t methodsMutex = PTHREAD_MUTEX_INITIALIZER;
static char anchorID[33];
static __thread int isLoading;

const char *sqlite3_uri_parameter(sqlite3_filename name, const char *parameter) {
    const char *value = sqlite3_uri_parameter_of_sqlite(name, parameter);
    return !value && sealing && name && strcmp(parameter, "sealite_like") == 0 ? anchorID : value;
}

/* The extension's own registration would add a few hundred functions to each connection of the suite. */
int sqlite3_auto_extension(void (*entry)(void)) {
    return isLoading ? SQLITE_OK : sqlite3_auto_extension_of_sqlite(entry);
}

/* Unlocks a file on a connection of its own, since one that stays open would outlive sqlite3_shutdown. */
static int unlock(const char *path) {
    sqlite3 *connection = 0;
    sqlite3_stmt *statement = 0;
    isLoading = 1;
    int code = sqlite3_open_v2(":memory:", &connection,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_FULLMUTEX, "unix");
    if (code == SQLITE_OK) code = sqlite3_enable_load_extension(connection, 1);
    if (code == SQLITE_OK) code = sqlite3_load_extension(connection, getenv("SEALITE_SUITE_EXTENSION"), 0, 0);
    if (code == SQLITE_OK && path) {
        code = sqlite3_prepare_v2(connection, "SELECT sealite_unlock_key_file(?, ?)", -1, &statement, 0);
        if (code == SQLITE_OK) {
            sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
            sqlite3_bind_text(statement, 2, getenv("SEALITE_SUITE_KEY"), -1, SQLITE_STATIC);
            sqlite3_step(statement);
            code = sqlite3_finalize(statement);
        }
    }
    sqlite3_close(connection);
    isLoading = 0;
    return code;
}

static int isUnlocked(const char *path, int *code) {
    int unlocked = unlock(path);
    if (unlocked == SQLITE_NOMEM) *code = SQLITE_NOMEM;
    return unlocked == SQLITE_OK;
}

/* The name of an open database file, behind what the sealing VFS asks for. */
static const char **nameOf(sqlite3_file *file) { return (const char **)((char *)file + sealedByteCount); }

/* A connection may have opened the file while it was empty, and one that is closed by now made it. */
static int readUnlocked(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    int code = sealed.xRead(file, buffer, count, offset);
    if ((code & 0xff) != SQLITE_AUTH || !isUnlocked(*nameOf(file), &code)) return code;
    return sealed.xRead(file, buffer, count, offset);
}

static int openUnlocked(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *granted) {
    int code = openSealed(vfs, name, file, flags, granted);
    if (!name || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL))) return code;
    if ((code & 0xff) == SQLITE_AUTH && isUnlocked(sqlite3_filename_database(name), &code))
        code = openSealed(vfs, name, file, flags, granted);
    if (code == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
        pthread_mutex_lock(&methodsMutex);
        if (!reading.xRead) {
            sealed = reading = *file->pMethods;
            reading.xRead = readUnlocked;
        }
        pthread_mutex_unlock(&methodsMutex);
        *nameOf(file) = name;
        file->pMethods = &reading;
    }
    return code;
}

/* Called at the end of each sqlite3_initialize, which makes "unix" the default again. */
int sealite_suite_initialize(const char *unused) {
    (void)unused;
    if (!getenv("SEALITE_SUITE_EXTENSION")) return SQLITE_OK;
    if (!sealing) {
        const char *anchor = getenv("SEALITE_SUITE_ANCHOR");
        unsigned char id[16];
        FILE *file = fopen(anchor, "rb");
        /* Documentation/FORMAT.md, 4 */
        if (!file || fseek(file, 16, SEEK_SET) || fread(id, 1, 16, file) != 16) return SQLITE_CANTOPEN;
        fclose(file);
        for (int i = 0; i < 16; i++) sprintf(anchorID + 2 * i, "%02x", id[i]);
        int code = unlock(anchor);
        if (code != SQLITE_OK) return code;
        sealing = sqlite3_vfs_find("sealite");
        if (!sealing) return SQLITE_ERROR;
        openSealed = sealing->xOpen;
        sealing->xOpen = openUnlocked;
        sealedByteCount = (sealing->szOsFile + 7) & ~7;
        sealing->szOsFile = sealedByteCount + sizeof(char *);
    }
    return sqlite3_vfs_register(sealing, 1);
}

#ifdef SEALITE_SUITE_OF_SYSTEM
static int isInitialized = SQLITE_OK;

static void initialize(void) {
    isInitialized = sealite_suite_initialize(0);
    if (isInitialized != SQLITE_OK) fprintf(stderr, "sealite-suite: the sealing VFS isn't the default one: %d\n", isInitialized);
}

/* Initializes with the first connection: before that, GRDB configures SQLite. */
int sqlite3_open_v2(const char *name, sqlite3 **connection, int flags, const char *vfs) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (isLoading) return sqlite3_open_v2_of_sqlite(name, connection, flags, vfs);
    pthread_once(&once, initialize);
    if (isInitialized != SQLITE_OK) {
        *connection = 0;
        return isInitialized;
    }
    int code = sqlite3_open_v2_of_sqlite(name, connection, flags, vfs);
    int reserved = 48;
    if (code == SQLITE_OK) sqlite3_file_control(*connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    return code;
}
#endif
