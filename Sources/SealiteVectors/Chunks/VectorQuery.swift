internal import CVectors

/// A vector prepared for the computation of its distances from the entries of chunks.
///
/// For codes the scalar product Σ q·(least + step·code) is split into a constant and Σ (q·step)·code, whose weights
/// q·step are scaled to 16-bit integers.
package struct VectorQuery {
    let codec: VectorCodec
    /// The vector, normalised for cosine; empty if codes are scanned.
    private var values: [Float] = []
    /// The weights of the codes, arranged as the kernel reads them; empty for `VectorCoding.none`.
    private var weights: [Int16] = []
    /// The factor by which the sum of weights times codes is multiplied.
    private var scale = 0.0
    /// What is added to that product: Σ q·least.
    private(set) var constant = 0.0
    /// The greatest difference between the computed sum of products and the exact one by the rounding of the weights.
    private(set) var weightError = 0.0
    /// The squared norm of the vector.
    let norm: Float

    init(_ codec: VectorCodec, _ vector: UnsafeBufferPointer<Float>) {
        precondition(vector.count == codec.dimensions)
        self.codec = codec
        let squares = unsafe VectorMath.squaredNorm(vector)
        let factor = codec.metric == .cosine && squares > 0 ? 1 / squares.squareRoot() : 1
        norm = Float(squares * factor * factor)
        guard codec.encoding != .none else {
            values = unsafe vector.map { Float(Double($0) * factor) }
            return
        }
        let ranges = codec.ranges
        var products = [Double](repeating: 0, count: codec.dimensions)
        for index in products.indices {
            let value = unsafe Double(vector[index]) * factor
            constant += value * Double(ranges.least[index])
            products[index] = value * Double(ranges.step[index])
        }
        (weights, scale, weightError) = Self.weights(products, codec.encoding)
    }

    /// Returns weights rounded to integers in the kernel's order, the factor that was divided out of them, and the greatest error
    /// of a sum by the rounding.
    private static func weights(
        _ products: [Double], _ encoding: VectorCoding
    ) -> ([Int16], scale: Double, error: Double) {
        let greatest = products.reduce(0) { max($0, $1.magnitude) }
        let sum = products.reduce(0) { $0 + $1.magnitude }
        // The sum of the weights' magnitudes times the greatest code must not exceed Int32.max; rounding adds at most ½
        // to each weight.
        let limit = Double(Int(Int32.max) / encoding.steps) - Double(products.count)
        let scale = max(greatest / Double(Int16.max), sum / limit)
        // The kernel's block of codes: 32 bytes (for SQ6 24), in 16-bit lanes.
        let planes = encoding == .sq4 ? 4 : 2
        let block = 16 * planes
        var weights = [Int16](repeating: 0, count: (products.count + block - 1) / block * block)
        guard scale > 0, (1 / scale).isFinite else { return (weights, 0, sum * Double(encoding.steps)) }
        var error = 0.0
        for (index, product) in products.enumerated() {
            let (start, place) = (index / block * block, index % block)
            let weight = (product / scale).rounded()
            weights[start + place % planes * 16 + place / planes] = Int16(weight)
            error += abs(product / scale - weight)
        }
        return (weights, scale, error * scale * Double(encoding.steps))
    }

    /// Writes the approximate distances of the first `count` entries of a chunk to the start of `out`.
    ///
    /// For both Euclidean metrics they are squared ones. A distance that a Float can't represent is infinite.
    package func distances(
        _ chunk: UnsafeRawBufferPointer, count: Int, to out: UnsafeMutableBufferPointer<Float>
    ) {
        unsafe computeTerms(chunk, count, out)
        guard count > 0, let results = out.baseAddress else { return }
        if isOfDifferences {
            for place in 0..<count where unsafe results[place].isNaN { unsafe results[place] = .infinity }
        } else {
            unsafe finish(results, chunk, count)
        }
    }

    /// A Boolean value that says whether squared distances are computed directly, not from scalar products.
    var isOfDifferences: Bool {
        codec.encoding == .none && !codec.metric.isOfAngles
    }

    /// Writes the scalar products with the first `count` entries of a chunk to the start of `out`, or their squared distances if
    /// `isOfDifferences`.
    func computeTerms(_ chunk: UnsafeRawBufferPointer, _ count: Int, _ out: UnsafeMutableBufferPointer<Float>) {
        precondition(chunk.count == codec.chunkByteCount && count >= 0 && count <= codec.capacity && count <= out.count)
        guard count > 0, let start = chunk.baseAddress, let results = out.baseAddress else { return }
        let codes = unsafe start + codec.codeOffset(0)
        if codec.encoding != .none {
            unsafe sealite_code_products(
                weights, codes, codec.dimensions, Int32(codec.encoding.bitCount), count, scale, constant, results)
        } else if isOfDifferences {
            unsafe sealite_squared_distances(values, codes, codec.dimensions, count, results)
        } else {
            unsafe sealite_dots(values, codes, codec.dimensions, count, results)
        }
    }

    /// Replaces scalar products by distances.
    private func finish(_ results: UnsafeMutablePointer<Float>, _ chunk: UnsafeRawBufferPointer, _ count: Int) {
        let hasError = codec.encoding != .none
        for place in 0..<count {
            let product = unsafe results[place]
            let stored = unsafe codec.norm(at: place, in: chunk).square(hasError: hasError)
            let distance: Float
            switch codec.metric {
            case .euclidean, .euclideanSquared: distance = max(norm - 2 * product + stored, 0)
            // Codes represent vectors that are only about normalised.
            case .cosine: distance = stored > 0 ? 1 - product / stored.squareRoot() : 1
            case .dot: distance = -product
            }
            unsafe results[place] = distance.isNaN ? .infinity : distance
        }
    }
}
