// The choice of an implementation, and what is the same in all of them.
#include "kernels.h"
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

// Without contracted operations stored codes and norms have the same bits on all processors.
#pragma STDC FP_CONTRACT OFF

/// The implementation in use; null before the first call.
static _Atomic(const sealite_kernels *) chosen;

static const sealite_kernels *available(sealite_kernels_kind wanted) {
#if defined(__x86_64__)
    if (wanted == sealite_kernels_avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &sealite_avx2_kernels;
#endif
    (void)wanted;
    return &sealite_portable_kernels;
}

static inline const sealite_kernels *kernels(void) {
    const sealite_kernels *current = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (current) return current;
    // Threads that come here at once store the same pointer.
    current = available(sealite_kernels_avx2);
    atomic_store_explicit(&chosen, current, memory_order_relaxed);
    return current;
}

sealite_kernels_kind sealite_kernels_in_use(void) { return kernels()->kind; }

sealite_kernels_kind sealite_use_kernels(sealite_kernels_kind wanted) {
    atomic_store_explicit(&chosen, available(wanted), memory_order_relaxed);
    return sealite_kernels_in_use();
}

float sealite_dot(const float *left, const float *right, size_t dimensions) {
    return kernels()->dot(left, right, dimensions);
}

float sealite_squared_distance(const float *left, const float *right, size_t dimensions) {
    return kernels()->squared_distance(left, right, dimensions);
}

void sealite_dots(const float *query, const void *rows, size_t dimensions, size_t count, float *products) {
    kernels()->dots(query, rows, dimensions, count, products);
}

void sealite_squared_distances(const float *query, const void *rows, size_t dimensions, size_t count, float *distances) {
    kernels()->squared_distances(query, rows, dimensions, count, distances);
}

void sealite_code_products(const int16_t *weights, const void *codes, size_t dimensions, int bits, size_t count, double scale,
                           double constant, float *products) {
    kernels()->code_products(weights, codes, (dimensions * (size_t)bits + 7) / 8, bits, count, scale, constant, products);
}

/// Writes `count` codes, one a byte, in `bits` bits each.
static void pack(const uint8_t *codes, size_t count, int bits, uint8_t *output) {
    if (bits == 8) {
        memcpy(output, codes, count);
        return;
    }
    uint32_t word = 0;
    int filled = 0;
    for (size_t index = 0; index < count; index++) {
        word |= (uint32_t)codes[index] << filled;
        for (filled += bits; filled >= 8; filled -= 8) {
            *output++ = (uint8_t)word;
            word >>= 8;
        }
    }
    if (filled > 0) *output = (uint8_t)word;
}

enum { lanes = 8 };

static inline float lane_sum(const float sums[lanes]) {
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

float sealite_encode(const float *vector, double factor, const float *least, const float *step, const float *inverse,
                     size_t dimensions, int bits, void *output, float *squared_error) {
    enum { block = 64 };
    const float greatest = (float)((1 << bits) - 1);
    uint8_t *target = output;
    float sums[lanes] = {0}, errors[lanes] = {0};
    for (size_t start = 0; start < dimensions; start += block) {
        const size_t length = dimensions - start < block ? dimensions - start : block;
        float values[block] = {0}, differences[block] = {0};
        int32_t numbers[block];
        uint8_t codes[block];
        for (size_t index = 0; index < length; index++) {
            const float value = (float)(vector[start + index] * factor);
            const float steps = (value - least[start + index]) * inverse[start + index];
            // The comparisons are false for NaN, which an infinite difference times 0 is.
            const float low = steps > 0 ? steps : 0;
            numbers[index] = (int32_t)((low < greatest ? low : greatest) + 0.5f);
            values[index] = least[start + index] + step[start + index] * (float)numbers[index];
            differences[index] = value - values[index];
        }
        for (size_t index = 0; index < length; index++) codes[index] = (uint8_t)numbers[index];
        for (size_t index = 0; index < block; index += lanes)
            for (size_t lane = 0; lane < lanes; lane++) {
                sums[lane] += values[index + lane] * values[index + lane];
                errors[lane] += differences[index + lane] * differences[index + lane];
            }
        pack(codes, length, bits, target);
        target += (block * (size_t)bits) / 8;
    }
    *squared_error = lane_sum(errors);
    return lane_sum(sums);
}

float sealite_store(const float *vector, double factor, size_t dimensions, void *output) {
    float sums[lanes] = {0};
    char *target = output;
    for (size_t start = 0; start < dimensions; start += lanes, target += lanes * sizeof(float)) {
        const size_t length = dimensions - start < lanes ? dimensions - start : lanes;
        float values[lanes] = {0};
        for (size_t lane = 0; lane < length; lane++) values[lane] = (float)(vector[start + lane] * factor);
        for (size_t lane = 0; lane < lanes; lane++) sums[lane] += values[lane] * values[lane];
        memcpy(target, values, length * sizeof(float));
    }
    return lane_sum(sums);
}

/// Sets the pointers to `wanted` rows from `row` on; behind the last of `count` rows that one is repeated.
static inline void set_rows(const float **pointers, size_t wanted, const float *rows, size_t row, size_t count,
                            size_t dimensions) {
    for (size_t index = 0; index < wanted; index++)
        pointers[index] = rows + (row + index < count ? row + index : count - 1) * dimensions;
}

void sealite_norms(const float *rows, size_t dimensions, size_t count, float *norms) {
    const sealite_kernels *current = kernels();
    for (size_t first = 0; first < count; first += tile_centroids) {
        const float *tile[tile_centroids];
        float products[tile_centroids], squares[tile_centroids];
        set_rows(tile, tile_centroids, rows, first, count, dimensions);
        current->row_products(tile[0], tile, dimensions, products, squares);
        for (size_t index = 0; index < tile_centroids && first + index < count; index++)
            norms[first + index] = squares[index];
    }
}

void sealite_scores(const float *vector, const float *centroids, size_t dimensions, size_t count, float *scores) {
    const sealite_kernels *current = kernels();
    for (size_t first = 0; first < count; first += tile_centroids) {
        const float *rows[tile_centroids];
        float products[tile_centroids], squares[tile_centroids];
        set_rows(rows, tile_centroids, centroids, first, count, dimensions);
        current->row_products(vector, rows, dimensions, products, squares);
        for (size_t index = 0; index < tile_centroids && first + index < count; index++)
            scores[first + index] = squares[index] - 2 * products[index];
    }
}

void sealite_assign(const float *vectors, size_t vector_count, const float *centroids, const float *norms,
                    size_t centroid_count, size_t dimensions, int32_t *nearest) {
    // So many vectors stay in the first-level cache, with four centroids, while all centroids pass by.
    enum { block = 4 * tile_vectors };
    const sealite_kernels *current = kernels();
    for (size_t start = 0; start < vector_count; start += block) {
        float best[block];
        for (size_t index = 0; index < block; index++) best[index] = INFINITY;
        const size_t length = vector_count - start < block ? vector_count - start : block;
        memset(nearest + start, 0, length * sizeof *nearest);
        for (size_t first = 0; first < centroid_count; first += tile_centroids) {
            const float *rows[tile_centroids];
            set_rows(rows, tile_centroids, centroids, first, centroid_count, dimensions);
            for (size_t offset = 0; offset < length; offset += tile_vectors) {
                const float *tile[tile_vectors];
                float products[tile_vectors * tile_centroids];
                set_rows(tile, tile_vectors, vectors, start + offset, vector_count, dimensions);
                current->tile(tile, rows, dimensions, products);
                for (size_t vector = offset; vector < offset + tile_vectors && vector < length; vector++) {
                    for (size_t index = 0; index < tile_centroids && first + index < centroid_count; index++) {
                        const float score =
                            norms[first + index] - 2 * products[(vector - offset) * tile_centroids + index];
                        if (score < best[vector]) {
                            best[vector] = score;
                            nearest[start + vector] = (int32_t)(first + index);
                        }
                    }
                }
            }
        }
    }
}

void sealite_add(const float *vector, size_t dimensions, double *sums) {
    for (size_t dimension = 0; dimension < dimensions; dimension++) sums[dimension] += vector[dimension];
}

/// The values of the characters of Base64; 255 for others.
static const uint8_t base64_values[256] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 62, 255, 255, 255, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 255, 255, 255, 255, 255, 255,
    255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 255, 255, 255, 255, 255,
    255, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

int sealite_decode_base64(const uint8_t *text, size_t groups, uint8_t *output) {
    uint8_t seen = 0;
    for (size_t group = 0; group < groups; group++, text += 4, output += 3) {
        uint32_t first = base64_values[text[0]], second = base64_values[text[1]];
        uint32_t third = base64_values[text[2]], fourth = base64_values[text[3]];
        seen |= (uint8_t)(first | second | third | fourth);
        uint32_t bits = first << 18 | second << 12 | third << 6 | fourth;
        output[0] = (uint8_t)(bits >> 16);
        output[1] = (uint8_t)(bits >> 8);
        output[2] = (uint8_t)bits;
    }
    return seen < 64;
}
