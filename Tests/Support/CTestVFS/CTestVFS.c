#include "CTestVFS.h"

uint64_t ctestvfs_fold(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ next[i]) * 0x100000001b3u;
    return hash;
}
