// The kernels in plain C. Sums of floats are kept in eight lanes, so that a compiler can use vector instructions without
// changing the order of additions.
#include "kernels.h"
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { lanes = 8 };

INLINE float lane_sum(const float sums[lanes]) {
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

static float dot(const float *left, const float *right, size_t dimensions) {
    float sums[lanes] = {0};
    size_t index = 0;
    for (; index + lanes <= dimensions; index += lanes)
        for (size_t lane = 0; lane < lanes; lane++) sums[lane] += left[index + lane] * right[index + lane];
    for (size_t lane = 0; index + lane < dimensions; lane++) sums[lane] += left[index + lane] * right[index + lane];
    return lane_sum(sums);
}

static float squared_distance(const float *left, const float *right, size_t dimensions) {
    float sums[lanes] = {0};
    size_t index = 0;
    for (; index + lanes <= dimensions; index += lanes) {
        for (size_t lane = 0; lane < lanes; lane++) {
            const float difference = left[index + lane] - right[index + lane];
            sums[lane] += difference * difference;
        }
    }
    for (size_t lane = 0; index + lane < dimensions; lane++) {
        const float difference = left[index + lane] - right[index + lane];
        sums[lane] += difference * difference;
    }
    return lane_sum(sums);
}

/// Calls a function of two vectors for each row. Rows are copied in pieces, since they may be unaligned.
INLINE void each_row(float (*pair)(const float *, const float *, size_t), const float *query, const void *rows,
                            size_t dimensions, size_t count, float *results) {
    enum { piece = 256 };
    const char *row = rows;
    for (size_t place = 0; place < count; place++, row += dimensions * sizeof(float)) {
        float sum = 0;
        for (size_t start = 0; start < dimensions; start += piece) {
            const size_t length = dimensions - start < piece ? dimensions - start : piece;
            float aligned[piece];
            memcpy(aligned, row + start * sizeof(float), length * sizeof(float));
            sum += pair(query + start, aligned, length);
        }
        results[place] = sum;
    }
}

static void dots(const float *query, const void *rows, size_t dimensions, size_t count, float *products) {
    each_row(dot, query, rows, dimensions, count, products);
}

static void squared_distances(const float *query, const void *rows, size_t dimensions, size_t count, float *distances) {
    each_row(squared_distance, query, rows, dimensions, count, distances);
}

/// Adds weight × code of 16 codes in eight lanes of two neighbours each, which is one instruction for eight products on x86-64.
INLINE void add_products(const int16_t *weights, const int16_t codes[16], int32_t sums[lanes]) {
    for (size_t lane = 0; lane < lanes; lane++)
        sums[lane] += weights[2 * lane] * codes[2 * lane] + weights[2 * lane + 1] * codes[2 * lane + 1];
}

/// Adds the products of a block of 32 codes, one a byte. The codes are read in pairs, since a compiler turns steps of 16 bits into
/// vector instructions more readily than steps of a byte.
INLINE void add_block8(const int16_t *weights, const uint8_t codes[SEALITE_BLOCK_BYTES], int32_t sums[lanes]) {
    uint16_t pairs[16];
    int16_t even[16], odd[16];
    memcpy(pairs, codes, sizeof pairs);
    for (size_t lane = 0; lane < 16; lane++) even[lane] = pairs[lane] & 255;
    for (size_t lane = 0; lane < 16; lane++) odd[lane] = (int16_t)(pairs[lane] >> 8);
    add_products(weights, even, sums);
    add_products(weights + 16, odd, sums);
}

/// Adds the products of a block of 32 codes in 24 bytes.
INLINE void add_block6(const int16_t *weights, const uint8_t packed[packed_block_bytes], int32_t sums[lanes]) {
    uint8_t codes[SEALITE_BLOCK_BYTES];
    for (size_t group = 0; group < 8; group++) {
        const uint8_t *bytes = packed + 3 * group;
        const uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
        const uint32_t spread =
            (word & 0x3F) | (word << 2 & 0x3F00) | (word << 4 & 0x3F0000) | (word << 6 & 0x3F000000);
        memcpy(codes + 4 * group, &spread, sizeof spread);
    }
    add_block8(weights, codes, sums);
}

/// Adds the products of a block of 64 codes, two a byte.
INLINE void add_block4(const int16_t *weights, const uint8_t codes[SEALITE_BLOCK_BYTES], int32_t sums[lanes]) {
    uint16_t groups[16];
    memcpy(groups, codes, sizeof groups);
    for (int plane = 0; plane < 4; plane++) {
        int16_t values[16];
        for (size_t lane = 0; lane < 16; lane++) values[lane] = groups[lane] >> (4 * plane) & 15;
        add_products(weights + 16 * plane, values, sums);
    }
}

/// Returns the sum of a row's products; the bytes of an incomplete last block are copied and filled up with zeros.
INLINE int32_t row_sum(
    void (*add_block)(const int16_t *, const uint8_t *, int32_t *), size_t block_bytes, size_t weight_count,
    const int16_t *weights, const uint8_t *codes, size_t byte_count) {
    int32_t sums[lanes] = {0};
    for (; byte_count >= block_bytes; byte_count -= block_bytes, codes += block_bytes, weights += weight_count)
        add_block(weights, codes, sums);
    if (byte_count > 0) {
        uint8_t rest[SEALITE_BLOCK_BYTES] = {0};
        memcpy(rest, codes, byte_count);
        add_block(weights, rest, sums);
    }
    int32_t sum = 0;
    for (size_t lane = 0; lane < lanes; lane++) sum += sums[lane];
    return sum;
}

static void code_products(const int16_t *weights, const uint8_t *codes, size_t byte_count, int bits, size_t count, double scale,
                          double constant, float *products) {
    for (size_t place = 0; place < count; place++, codes += byte_count) {
        const int32_t sum =
            bits == 8   ? row_sum(add_block8, SEALITE_BLOCK_BYTES, block_weights, weights, codes, byte_count)
            : bits == 6 ? row_sum(add_block6, packed_block_bytes, block_weights, weights, codes, byte_count)
                        : row_sum(add_block4, SEALITE_BLOCK_BYTES, nibble_block_weights, weights, codes, byte_count);
        products[place] = (float)(constant + scale * sum);
    }
}

static void row_products(const float *vector, const float *const rows[tile_centroids], size_t dimensions,
                         float products[tile_centroids], float squares[tile_centroids]) {
    for (size_t row = 0; row < tile_centroids; row++) {
        products[row] = dot(vector, rows[row], dimensions);
        squares[row] = dot(rows[row], rows[row], dimensions);
    }
}

static void tile(const float *const vectors[tile_vectors], const float *const centroids[tile_centroids], size_t dimensions,
                 float products[tile_vectors * tile_centroids]) {
    for (size_t vector = 0; vector < tile_vectors; vector++)
        for (size_t centroid = 0; centroid < tile_centroids; centroid++)
            products[vector * tile_centroids + centroid] = dot(vectors[vector], centroids[centroid], dimensions);
}

const sealite_kernels sealite_portable_kernels = {
    sealite_kernels_portable, dot, squared_distance, dots, squared_distances, code_products, row_products, tile,
};
