// The kernels for x86-64 processors with AVX2 and FMA. The attribute lets the compiler use these instructions in functions that
// bear it, and nowhere else, so that the file is compiled with the same flags as the others.
#if defined(__x86_64__)

#include "kernels.h"
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX2_INLINE static inline __attribute__((target("avx2,fma"), always_inline))

enum {
    lanes = 8,
    // Rows of codes that are read at the same time.
    rows_together = 4,
};

/// Masks of the first 1 to 7 lanes: the mask of n lanes begins at 8 − n.
static const int32_t lane_masks[2 * lanes] = {-1, -1, -1, -1, -1, -1, -1, -1};

AVX2_INLINE __m256i first_lanes(size_t count) {
    return _mm256_loadu_si256((const __m256i *)(lane_masks + lanes - count));
}

AVX2_INLINE float lane_sum(__m256 sums) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

AVX2_INLINE int32_t integer_lane_sum(__m256i sums) {
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(2, 3, 0, 1))));
}

/// Adds a product, or the square of a difference, in each lane.
AVX2_INLINE __m256 add_term(__m256 left, __m256 right, __m256 sums, int is_distance) {
    if (!is_distance) return _mm256_fmadd_ps(left, right, sums);
    const __m256 difference = _mm256_sub_ps(left, right);
    return _mm256_fmadd_ps(difference, difference, sums);
}

/// Returns the product or the squared distance of two vectors. Four sums hide the latency of an addition.
AVX2_INLINE float pair(const float *left, const float *right, size_t dimensions, int is_distance) {
    __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
    size_t index = 0;
    for (; index + 4 * lanes <= dimensions; index += 4 * lanes) {
        a = add_term(_mm256_loadu_ps(left + index), _mm256_loadu_ps(right + index), a, is_distance);
        b = add_term(_mm256_loadu_ps(left + index + 8), _mm256_loadu_ps(right + index + 8), b, is_distance);
        c = add_term(_mm256_loadu_ps(left + index + 16), _mm256_loadu_ps(right + index + 16), c, is_distance);
        d = add_term(_mm256_loadu_ps(left + index + 24), _mm256_loadu_ps(right + index + 24), d, is_distance);
    }
    for (; index + lanes <= dimensions; index += lanes)
        a = add_term(_mm256_loadu_ps(left + index), _mm256_loadu_ps(right + index), a, is_distance);
    if (index < dimensions) {
        const __m256i mask = first_lanes(dimensions - index);
        b = add_term(_mm256_maskload_ps(left + index, mask), _mm256_maskload_ps(right + index, mask), b, is_distance);
    }
    return lane_sum(_mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d)));
}

AVX2 static float dot(const float *left, const float *right, size_t dimensions) {
    return pair(left, right, dimensions, 0);
}

AVX2 static float squared_distance(const float *left, const float *right, size_t dimensions) {
    return pair(left, right, dimensions, 1);
}

AVX2 static void dots(const float *query, const void *rows, size_t dimensions, size_t count, float *products) {
    const char *row = rows;
    for (size_t place = 0; place < count; place++, row += dimensions * sizeof(float))
        products[place] = pair(query, (const float *)(const void *)row, dimensions, 0);
}

AVX2 static void squared_distances(const float *query, const void *rows, size_t dimensions, size_t count, float *distances) {
    const char *row = rows;
    for (size_t place = 0; place < count; place++, row += dimensions * sizeof(float))
        distances[place] = pair(query, (const float *)(const void *)row, dimensions, 1);
}

AVX2_INLINE __m256i weights_at(const int16_t *weights, size_t plane) {
    return _mm256_loadu_si256((const __m256i *)(weights + 16 * plane));
}

/// Adds the products of 32 weights and 32 codes, one a byte: the even ones are the low bytes of 16-bit lanes.
AVX2_INLINE __m256i add_block8(__m256i sums, __m256i codes, const int16_t *weights) {
    const __m256i even = _mm256_and_si256(codes, _mm256_set1_epi16(255));
    const __m256i odd = _mm256_srli_epi16(codes, 8);
    const __m256i products = _mm256_add_epi32(_mm256_madd_epi16(even, weights_at(weights, 0)),
                                              _mm256_madd_epi16(odd, weights_at(weights, 1)));
    return _mm256_add_epi32(sums, products);
}

AVX2_INLINE __m256i load_block(const uint8_t *codes) { return _mm256_loadu_si256((const __m256i *)codes); }

/// Loads 24 bytes with 32 codes and returns these, one a byte.
AVX2_INLINE __m256i load_packed_block(const uint8_t *codes) {
    // Twelve bytes for each half; the second load begins before them, since it must not pass the end of the 24.
    const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)codes)),
                                                  _mm_loadu_si128((const __m128i *)(codes + 8)), 1);
    const __m256i order = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 4, 5, 6, -1, 7, 8, 9, -1,
                                           10, 11, 12, -1, 13, 14, 15, -1);
    const __m256i words = _mm256_shuffle_epi8(bytes, order);
    const __m256i first = _mm256_and_si256(words, _mm256_set1_epi32(0x3F));
    const __m256i second = _mm256_and_si256(_mm256_slli_epi32(words, 2), _mm256_set1_epi32(0x3F00));
    const __m256i third = _mm256_and_si256(_mm256_slli_epi32(words, 4), _mm256_set1_epi32(0x3F0000));
    const __m256i fourth = _mm256_and_si256(_mm256_slli_epi32(words, 6), _mm256_set1_epi32(0x3F000000));
    return _mm256_or_si256(_mm256_or_si256(first, second), _mm256_or_si256(third, fourth));
}

/// Adds the products of 64 weights and 64 codes, two a byte: the codes 0, 4, 8… are the lowest bits of 16-bit lanes.
AVX2_INLINE __m256i add_block4(__m256i sums, __m256i codes, const int16_t *weights) {
    const __m256i low = _mm256_set1_epi16(15);
    const __m256i first = _mm256_and_si256(codes, low);
    const __m256i second = _mm256_and_si256(_mm256_srli_epi16(codes, 4), low);
    const __m256i third = _mm256_and_si256(_mm256_srli_epi16(codes, 8), low);
    const __m256i fourth = _mm256_srli_epi16(codes, 12);
    const __m256i products = _mm256_add_epi32(_mm256_madd_epi16(first, weights_at(weights, 0)),
                                              _mm256_madd_epi16(second, weights_at(weights, 1)));
    const __m256i more = _mm256_add_epi32(_mm256_madd_epi16(third, weights_at(weights, 2)),
                                          _mm256_madd_epi16(fourth, weights_at(weights, 3)));
    return _mm256_add_epi32(sums, _mm256_add_epi32(products, more));
}

/// Adds the products of the weights and codes of a block; `bits` is known when the function is compiled.
AVX2_INLINE __m256i add_block(__m256i sums, const uint8_t *codes, const int16_t *weights, int bits) {
    if (bits == 8) return add_block8(sums, load_block(codes), weights);
    if (bits == 6) return add_block8(sums, load_packed_block(codes), weights);
    return add_block4(sums, load_block(codes), weights);
}

/// Adds up the products of a few rows, each of `byte_count` bytes. Rows that are read together share the loads of weights, and
/// more of them are on their way from memory.
AVX2_INLINE void sum_rows(const int16_t *weights, const uint8_t *codes, size_t byte_count, size_t row_count, int bits,
                          int32_t *results) {
    const size_t block_bytes = bits == 6 ? packed_block_bytes : SEALITE_BLOCK_BYTES;
    const size_t weight_count = bits == 4 ? nibble_block_weights : block_weights;
    __m256i sums[rows_together];
    for (size_t row = 0; row < row_count; row++) sums[row] = _mm256_setzero_si256();
    size_t start = 0;
    for (; start + block_bytes <= byte_count; start += block_bytes, weights += weight_count)
        for (size_t row = 0; row < row_count; row++)
            sums[row] = add_block(sums[row], codes + row * byte_count + start, weights, bits);
    if (start < byte_count) {
        for (size_t row = 0; row < row_count; row++) {
            uint8_t rest[SEALITE_BLOCK_BYTES] = {0};
            memcpy(rest, codes + row * byte_count + start, byte_count - start);
            sums[row] = add_block(sums[row], rest, weights, bits);
        }
    }
    for (size_t row = 0; row < row_count; row++) results[row] = integer_lane_sum(sums[row]);
}

AVX2_INLINE void products_of_codes(const int16_t *weights, const uint8_t *codes, size_t byte_count, int bits, size_t count,
                                   double scale, double constant, float *products) {
    int32_t sums[rows_together];
    for (; count >= rows_together; count -= rows_together, products += rows_together) {
        sum_rows(weights, codes, byte_count, rows_together, bits, sums);
        for (size_t row = 0; row < rows_together; row++) products[row] = (float)(constant + scale * sums[row]);
        codes += rows_together * byte_count;
    }
    for (; count > 0; count--, products++, codes += byte_count) {
        sum_rows(weights, codes, byte_count, 1, bits, sums);
        *products = (float)(constant + scale * sums[0]);
    }
}

AVX2 static void code_products(const int16_t *weights, const uint8_t *codes, size_t byte_count, int bits, size_t count,
                               double scale, double constant, float *products) {
    if (bits == 8)
        products_of_codes(weights, codes, byte_count, 8, count, scale, constant, products);
    else if (bits == 6)
        products_of_codes(weights, codes, byte_count, 6, count, scale, constant, products);
    else
        products_of_codes(weights, codes, byte_count, 4, count, scale, constant, products);
}

/// Adds eight terms to each of the twelve products: seven loads serve twelve multiplications, and the sixteen registers hold
/// all of it.
#define TILE_STEP(load)                                                                                                        \
    do {                                                                                                                       \
        const __m256 v0 = load(vectors[0]), v1 = load(vectors[1]), v2 = load(vectors[2]);                                      \
        __m256 row = load(centroids[0]);                                                                                       \
        s00 = _mm256_fmadd_ps(v0, row, s00), s10 = _mm256_fmadd_ps(v1, row, s10), s20 = _mm256_fmadd_ps(v2, row, s20);         \
        row = load(centroids[1]);                                                                                              \
        s01 = _mm256_fmadd_ps(v0, row, s01), s11 = _mm256_fmadd_ps(v1, row, s11), s21 = _mm256_fmadd_ps(v2, row, s21);         \
        row = load(centroids[2]);                                                                                              \
        s02 = _mm256_fmadd_ps(v0, row, s02), s12 = _mm256_fmadd_ps(v1, row, s12), s22 = _mm256_fmadd_ps(v2, row, s22);         \
        row = load(centroids[3]);                                                                                              \
        s03 = _mm256_fmadd_ps(v0, row, s03), s13 = _mm256_fmadd_ps(v1, row, s13), s23 = _mm256_fmadd_ps(v2, row, s23);         \
    } while (0)
/// Adds eight terms to each of the products and the squares of four rows.
#define ROW_STEP(load)                                                                                                         \
    do {                                                                                                                       \
        const __m256 v = load(vector);                                                                                         \
        __m256 row = load(rows[0]);                                                                                            \
        p0 = _mm256_fmadd_ps(v, row, p0), s0 = _mm256_fmadd_ps(row, row, s0), row = load(rows[1]);                             \
        p1 = _mm256_fmadd_ps(v, row, p1), s1 = _mm256_fmadd_ps(row, row, s1), row = load(rows[2]);                             \
        p2 = _mm256_fmadd_ps(v, row, p2), s2 = _mm256_fmadd_ps(row, row, s2), row = load(rows[3]);                             \
        p3 = _mm256_fmadd_ps(v, row, p3), s3 = _mm256_fmadd_ps(row, row, s3);                                                  \
    } while (0)
#define WHOLE(row) _mm256_loadu_ps((row) + index)
#define MASKED(row) _mm256_maskload_ps((row) + index, mask)

/// Returns the sums of the lanes of four registers.
AVX2_INLINE __m128 lane_sums(__m256 a, __m256 b, __m256 c, __m256 d) {
    const __m256 sums = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
    return _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
}

AVX2 static void tile(const float *const vectors[tile_vectors], const float *const centroids[tile_centroids], size_t dimensions,
                      float products[tile_vectors * tile_centroids]) {
    const __m256 zero = _mm256_setzero_ps();
    __m256 s00 = zero, s01 = zero, s02 = zero, s03 = zero, s10 = zero, s11 = zero, s12 = zero, s13 = zero, s20 = zero,
           s21 = zero, s22 = zero, s23 = zero;
    size_t index = 0;
    for (; index + lanes <= dimensions; index += lanes) TILE_STEP(WHOLE);
    if (index < dimensions) {
        const __m256i mask = first_lanes(dimensions - index);
        TILE_STEP(MASKED);
    }
    _mm_storeu_ps(products, lane_sums(s00, s01, s02, s03));
    _mm_storeu_ps(products + 4, lane_sums(s10, s11, s12, s13));
    _mm_storeu_ps(products + 8, lane_sums(s20, s21, s22, s23));
}

AVX2 static void row_products(const float *vector, const float *const rows[tile_centroids], size_t dimensions,
                              float products[tile_centroids], float squares[tile_centroids]) {
    const __m256 zero = _mm256_setzero_ps();
    __m256 p0 = zero, p1 = zero, p2 = zero, p3 = zero, s0 = zero, s1 = zero, s2 = zero, s3 = zero;
    size_t index = 0;
    for (; index + lanes <= dimensions; index += lanes) ROW_STEP(WHOLE);
    if (index < dimensions) {
        const __m256i mask = first_lanes(dimensions - index);
        ROW_STEP(MASKED);
    }
    _mm_storeu_ps(products, lane_sums(p0, p1, p2, p3));
    _mm_storeu_ps(squares, lane_sums(s0, s1, s2, s3));
}

const sealite_kernels sealite_avx2_kernels = {
    sealite_kernels_avx2, dot, squared_distance, dots, squared_distances, code_products, row_products, tile,
};

#endif
