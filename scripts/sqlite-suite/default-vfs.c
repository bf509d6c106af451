/* Linked into SQLite's testfixture: makes every database of the suite reserve 48 bytes in each page, and, if
** SEALITE_SUITE_EXTENSION names libsealitevfs.so, every database file a sealed one.
**
** Sealed files take their keys from an unlocked file, SEALITE_SUITE_ANCHOR (key: SEALITE_SUITE_KEY). Its database id is added to each
** file name as the URI parameter that the sealing VFS asks for where several databases are unlocked. A file that a closed connection
** made has to be unlocked before it is opened again. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

/* The names under which build.sh lets sqlite3.c define its own functions. */
int sqlite3ParseUriOfSQLite(const char *, const char *, unsigned int *, sqlite3_vfs **, char **, char **);
int sqlite3_auto_extension_of_sqlite(void (*)(void));

/* Read by sqlite3BtreeOpen for a file without pages. */
int sealite_suite_reserve = 48;

static sqlite3_vfs *sealing;
static int (*openSealed)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static int sealedByteCount;
/* The methods of a sealed database file, and the same with readUnlocked. */
static sqlite3_io_methods sealed, reading;
static char anchorID[33];
static __thread int isLoading;

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
        sealed = *file->pMethods;
        reading = sealed;
        reading.xRead = readUnlocked;
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
        /* Documentation/FORMAT.md, 4.2 */
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

int sqlite3ParseUri(
    const char *vfsName, const char *uri, unsigned int *flags, sqlite3_vfs **vfs, char **file, char **message) {
    int code = sqlite3ParseUriOfSQLite(vfsName, uri, flags, vfs, file, message);
    if (code != SQLITE_OK || !sealing || !**file || strcmp(*file, ":memory:") == 0) return code;
    const char *parameters[64];
    int count = 0;
    for (const char *key; count < 31 && (key = sqlite3_uri_key(*file, count)) != 0; count++) {
        parameters[2 * count] = key;
        parameters[2 * count + 1] = sqlite3_uri_parameter(*file, key);
    }
    parameters[2 * count] = "sealite_like";
    parameters[2 * count + 1] = anchorID;
    char *longer = (char *)sqlite3_create_filename(*file, "", "", count + 1, parameters);
    if (!longer) return SQLITE_NOMEM;
    sqlite3_free_filename(*file);
    *file = longer;
    return SQLITE_OK;
}
