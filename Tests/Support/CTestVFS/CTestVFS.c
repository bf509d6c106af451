#include "CTestVFS.h"

uint64_t ctestvfs_fold(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ next[i]) * 0x100000001b3u;
    return hash;
}

static _Thread_local int secure_delete_is_off;

static int prepare_connection(sqlite3 *connection, char **message, const void *routines) {
    (void)message, (void)routines;
    return secure_delete_is_off ? sqlite3_exec(connection, "PRAGMA secure_delete=OFF", NULL, NULL, NULL) : SQLITE_OK;
}

int ctestvfs_secure_delete_off(int is_off) {
    secure_delete_is_off = is_off;
    return sqlite3_auto_extension((void (*)(void))prepare_connection);
}
