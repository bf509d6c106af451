// The arithmetic of vector search: reading vectors, distances, quantised entries of chunks, k-means. Pure functions of
// values: no documents, no SQLite, no Foundation. The loops over dimensions are in the C target CVectors.
//
// Read first:
// - `VectorMetric` and `VectorCoding` are the choices of whoever creates an index;
// - `VectorReader` reads a vector from a value of a document;
// - `VectorCodec` writes the entries of a chunk, and `VectorQuery` computes distances from them;
// - `NearestHeap` keeps the nearest ones;
// - `KMeans` divides vectors into lists.
