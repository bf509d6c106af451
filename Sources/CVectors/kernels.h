// The functions that each implementation of the kernels has, and the sizes that these rely on.
#ifndef SEALITE_KERNELS_H
#define SEALITE_KERNELS_H

#include "CVectors.h"

// Vectors and codes are stored in little-endian order and are read in place.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "stored vectors are little-endian");

enum {
    tile_vectors = 3,
    tile_centroids = 4,
    // Weights of a block of codes with 8 or 6 bits, and with 4 bits.
    block_weights = 32,
    nibble_block_weights = 64,
    // Bytes of a block of codes with 6 bits.
    packed_block_bytes = 24,
};

/// An implementation; the functions as in CVectors.h, apart from:
typedef struct {
    sealite_kernels_kind kind;
    float (*dot)(const float *left, const float *right, size_t dimensions);
    float (*squared_distance)(const float *left, const float *right, size_t dimensions);
    void (*dots)(const float *query, const void *rows, size_t dimensions, size_t count, float *products);
    void (*squared_distances)(const float *query, const void *rows, size_t dimensions, size_t count, float *distances);
    /// `byte_count` is the size of a row of codes.
    void (*code_products)(const int16_t *weights, const uint8_t *codes, size_t byte_count, int bits, size_t count, double scale,
                          double constant, float *products);
    /// Writes the scalar products of a vector with four rows, and the squared norms of the rows.
    void (*row_products)(const float *vector, const float *const rows[tile_centroids], size_t dimensions,
                         float products[tile_centroids], float squares[tile_centroids]);
    /// Writes the scalar products of three vectors with four centroids, those of the first vector first. They have the
    /// same bits as those of `row_products`: the order of the additions doesn't depend on the place.
    void (*tile)(const float *const vectors[tile_vectors], const float *const centroids[tile_centroids], size_t dimensions,
                 float products[tile_vectors * tile_centroids]);
} sealite_kernels;

extern const sealite_kernels sealite_portable_kernels;
#if defined(__x86_64__)
extern const sealite_kernels sealite_avx2_kernels;
#endif

#endif
