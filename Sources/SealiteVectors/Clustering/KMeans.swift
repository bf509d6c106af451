internal import CVectors

/// k-means by Lloyd's algorithm, from seeds of k-means++, with Euclidean distances.
///
/// The same seed gives the same centroids on processors for which the same kernels are chosen; kernels differ in rounding.
package enum KMeans {
    /// Finds the centroids of a sample's clusters.
    ///
    /// With fewer distinct vectors than centroids some centroids are equal, and attract no vector. Without vectors all
    /// centroids are zero.
    ///
    /// - Parameters:
    ///   - sample: vectors one after another.
    ///   - dimensions: the number of dimensions.
    ///   - centroids: the number of centroids, at least 1.
    ///   - seed: determines all random choices.
    ///   - isSpherical: true for normalised vectors, to normalise the centroids too, as for cosine.
    ///   - iterations: the greatest number of times that vectors are assigned and centroids moved; fewer if no vector
    ///     changes its centroid.
    ///   - progress: is called with the work done and the whole work, the latter never 0; it stops the training by
    ///     throwing.
    /// - Returns: the centroids, one after another.
    package static func train(
        _ sample: UnsafeBufferPointer<Float>, dimensions: Int, centroids: Int, seed: UInt64, isSpherical: Bool,
        iterations: Int, progress: (Int, Int) throws -> Void
    ) rethrows -> [Float] {
        precondition(dimensions >= 1 && centroids >= 1 && iterations >= 0 && sample.count % dimensions == 0)
        guard let first = sample.baseAddress, !sample.isEmpty else {
            return [Float](repeating: 0, count: centroids * dimensions)
        }
        var lists = unsafe Lists(
            first, count: sample.count / dimensions, dimensions: dimensions, centroids: centroids, seed: seed)
        let count = lists.count
        let work = max(iterations * count, 1)
        try lists.seedCentroids { try progress(0, work) }
        for iteration in 0..<iterations {
            let changes = try lists.assign { try progress(iteration * count + $0, work) }
            if changes == 0 { break }
            lists.moveCentroids(isSpherical: isSpherical)
        }
        try progress(work, work)
        return lists.centroids
    }

    /// Returns the number of the centroid nearest to a vector, the first one among equals; the same as from
    /// ``assign(_:dimensions:_:to:)``.
    package static func nearest(
        _ vector: UnsafeBufferPointer<Float>, _ centroids: UnsafeBufferPointer<Float>
    ) -> Int {
        unsafe withScores(vector, centroids) { scores in
            var (best, least) = (0, Float.infinity)
            for index in scores.indices where unsafe scores[index] < least {
                unsafe (best, least) = (index, scores[index])
            }
            return best
        }
    }

    /// Returns the numbers of the `count` centroids nearest to a vector, or of all if there are fewer, the nearest first.
    package static func nearest(
        _ count: Int, to vector: UnsafeBufferPointer<Float>, _ centroids: UnsafeBufferPointer<Float>
    ) -> [Int] {
        guard count > 0 else { return [] }
        return unsafe withScores(vector, centroids) { scores in
            var heap = NearestHeap(capacity: min(count, scores.count))
            for index in scores.indices { unsafe heap.add(Int64(index), scores[index]) }
            return heap.sorted().map { Int($0.document) }
        }
    }

    /// Writes the number of the nearest centroid of each of many vectors.
    ///
    /// - Parameters:
    ///   - vectors: the vectors, one after another.
    ///   - dimensions: the number of dimensions.
    ///   - centroids: the centroids, one after another, at least one.
    ///   - lists: a place for each vector.
    package static func assign(
        _ vectors: UnsafeBufferPointer<Float>, dimensions: Int, _ centroids: UnsafeBufferPointer<Float>,
        to lists: UnsafeMutableBufferPointer<Int32>
    ) {
        precondition(
            dimensions >= 1 && vectors.count % dimensions == 0 && lists.count >= vectors.count / dimensions
                && centroids.count >= dimensions && centroids.count % dimensions == 0)
        guard !vectors.isEmpty else { return }
        let count = centroids.count / dimensions
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { norms in
            unsafe sealite_norms(centroids.baseAddress, dimensions, count, norms.baseAddress)
            unsafe sealite_assign(
                vectors.baseAddress, vectors.count / dimensions, centroids.baseAddress, norms.baseAddress, count,
                dimensions, lists.baseAddress)
        }
    }

    private static func withScores<Result>(
        _ vector: UnsafeBufferPointer<Float>, _ centroids: UnsafeBufferPointer<Float>,
        _ body: (UnsafeMutableBufferPointer<Float>) -> Result
    ) -> Result {
        let dimensions = vector.count
        precondition(dimensions >= 1 && centroids.count >= dimensions && centroids.count % dimensions == 0)
        let count = centroids.count / dimensions
        return unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { scores in
            unsafe sealite_scores(
                vector.baseAddress, centroids.baseAddress, dimensions, count, scores.baseAddress)
            return unsafe body(scores)
        }
    }
}
