// zlib, and its two initialisers, which are macros that Swift cannot reach.
#ifndef SEALITE_CZLIB_SHIM_H
#define SEALITE_CZLIB_SHIM_H

#include <zlib.h>

/// Raw deflate (RFC 1951) with a window of 2 to the power of `window_bits` bytes and a memory level: `deflateInit2`.
static inline int sealite_deflate_init_raw(z_stream *stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

/// Raw inflate (RFC 1951) with a 32 KiB window: `inflateInit2` with window bits -15.
static inline int sealite_inflate_init_raw(z_stream *stream) {
    return inflateInit2(stream, -15);
}

#endif
