// Arithmetic of vector search: products and distances of float32 vectors and of quantised ones.
//
// Each function has a portable implementation and one for AVX2 with FMA, chosen at the first call by what the processor has.
// Sums of floats differ between the two by rounding; sums of integers don't. No function allocates or blocks, and all may be
// called by several threads at once. Vectors have at least one dimension.
#ifndef SEALITE_CVECTORS_H
#define SEALITE_CVECTORS_H

#include <stddef.h>
#include <stdint.h>

/// The implementations.
typedef enum {
    sealite_kernels_portable = 0,
    sealite_kernels_avx2 = 1,
} sealite_kernels_kind;

/// Returns the implementation in use.
sealite_kernels_kind sealite_kernels_in_use(void);

/// Chooses the implementation for the whole process, for tests and benchmarks; one that the processor lacks isn't taken.
///
/// Returns the implementation in use from now on.
sealite_kernels_kind sealite_use_kernels(sealite_kernels_kind wanted);

/// Returns the scalar product of two vectors.
float sealite_dot(const float *left, const float *right, size_t dimensions);

/// Returns the squared Euclidean distance between two vectors.
float sealite_squared_distance(const float *left, const float *right, size_t dimensions);

/// Writes the scalar products of a vector and each of `count` rows of `dimensions` little-endian float32, which may be
/// unaligned.
void sealite_dots(const float *query, const void *rows, size_t dimensions, size_t count, float *products);

/// Writes the squared Euclidean distances between a vector and each of `count` rows, as in `sealite_dots`.
void sealite_squared_distances(const float *query, const void *rows, size_t dimensions, size_t count, float *distances);

/// The size in bytes of a block of codes with 8 or 4 bits; a block of codes with 6 bits has 24 bytes, for 32 dimensions.
#define SEALITE_BLOCK_BYTES 32

/// Writes `constant` + `scale` × Σ weight × code for each of `count` rows of codes.
///
/// A code has `bits` bits: 8 (a byte each), 6 (four in three bytes, the first one in the lowest bits) or 4 (two in a byte, the
/// first one in the lower half). A row takes a whole number of bytes.
///
/// The weights are in the order in which AVX2 meets the codes, in blocks of 32 dimensions (64 for 4 bits): the 16 weights of
/// the dimensions 0, 2, 4…, and then those of 1, 3, 5… (for 4 bits: of 0, 4, 8…, of 1, 5, 9… and so on). The last block is
/// filled up with zeros. No sum of products of weights and greatest codes, all taken as positive, may exceed INT32_MAX.
void sealite_code_products(const int16_t *weights, const void *codes, size_t dimensions, int bits, size_t count, double scale,
                           double constant, float *products);

/// Quantises a vector multiplied by `factor`: the code of dimension d is the number of steps above the least value, rounded and
/// limited to what `bits` bits hold, and is written as `sealite_code_products` reads it.
///
/// `inverse` is 1 / step, or 0 where the step is 0. Returns the squared norm of the vector that the codes represent, and writes
/// that of its difference from the multiplied vector.
float sealite_encode(const float *vector, double factor, const float *least, const float *step, const float *inverse,
                     size_t dimensions, int bits, void *codes, float *squared_error);

/// Writes a vector multiplied by `factor` as little-endian float32, and returns the squared norm of what was written.
float sealite_store(const float *vector, double factor, size_t dimensions, void *output);

/// Writes the squared norm of each of `count` rows.
void sealite_norms(const float *rows, size_t dimensions, size_t count, float *norms);

/// Writes, for each of `count` centroids, its score for a vector: its squared norm less twice the scalar product, which is the
/// squared distance but for a constant.
void sealite_scores(const float *vector, const float *centroids, size_t dimensions, size_t count, float *scores);

/// Writes the number of the centroid with the lowest score for each of `vector_count` vectors, the first one among equals. The
/// scores, with norms from `sealite_norms`, have the same bits as those of `sealite_scores`.
void sealite_assign(const float *vectors, size_t vector_count, const float *centroids, const float *norms,
                    size_t centroid_count, size_t dimensions, int32_t *nearest);

/// Decodes `groups` groups of four characters of Base64 (RFC 4648 §4), none of them padding, to three bytes each.
///
/// Uses a table, so the time depends on the characters: not for secrets. Returns 0 if a character isn't one of Base64, else 1.
int sealite_decode_base64(const uint8_t *text, size_t groups, uint8_t *output);

/// Adds a vector to sums.
void sealite_add(const float *vector, size_t dimensions, double *sums);

#endif
