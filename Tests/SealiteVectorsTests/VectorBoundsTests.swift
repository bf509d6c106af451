import SealiteTestSupport
import SealiteVectors
import Testing

@Suite("least distances of entries")
struct VectorBoundsTests {
    /// Kinds of vectors, and what is in them.
    private enum Kind: CaseIterable {
        /// Like the sample that the ranges are from.
        case usual
        /// Values beyond the sample's.
        case outside
        /// Far from zero, where the squares of lengths are great and the distances small.
        case shifted
        /// Small or great numbers, whose squares a Float can't represent.
        case tiny, huge
        /// Only a few different values, and dimensions that are constant in the sample.
        case constant
    }

    private func vectors(_ kind: Kind, _ dimensions: Int, _ random: inout SeededRandom) -> [[Float]] {
        (0..<24).map { number in
            let vector = random.vector(dimensions)
            switch kind {
            case .usual: return vector
            case .outside: return number < 12 ? vector : vector.map { $0 * 1.5 }
            case .shifted: return vector.map { $0 * 0.01 + 5 }
            case .tiny: return vector.map { $0 * 1e-30 }
            case .huge: return vector.map { $0 * 1e30 }
            case .constant: return vector.enumerated().map { $0 % 3 == 0 ? 2 : ($1 > 0 ? 1 : -1) }
            }
        }
    }

    private func leastDistances(
        _ vectors: [[Float]], sample: ArraySlice<[Float]>, to query: [Float], _ metric: VectorMetric,
        _ encoding: VectorCoding
    ) -> [Float] {
        let values = (metric == .cosine ? sample.map(\.normalized) : Array(sample)).flatMap { $0 }
        let ranges = unsafe values.withUnsafeBufferPointer {
            unsafe VectorRanges(sample: $0, dimensions: query.count, steps: encoding.steps)
        }
        let codec = VectorCodec(metric: metric, encoding: encoding, dimensions: query.count, ranges: ranges)
        var chunk = [UInt8](repeating: 0, count: codec.chunkByteCount)
        var least = [Float](repeating: .nan, count: codec.capacity)
        return vectors.map { vector in
            unsafe vector.withUnsafeBufferPointer { vector in
                unsafe chunk.withUnsafeMutableBytes { unsafe codec.write(1, vector, at: 0, to: $0) }
            }
            unsafe query.withUnsafeBufferPointer { query in
                let query = unsafe codec.query(query)
                unsafe chunk.withUnsafeBytes { chunk in
                    unsafe least.withUnsafeMutableBufferPointer {
                        unsafe query.leastDistances(chunk, count: 1, to: $0)
                    }
                }
            }
            return least[0]
        }
    }

    private func distance(_ left: [Float], _ right: [Float], _ metric: VectorMetric) -> Double {
        unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { unsafe metric.distance(left, $0) }
        }
    }

    @Test("no distance is smaller", arguments: VectorMetric.allCases, VectorCoding.allCases)
    func bounds(metric: VectorMetric, encoding: VectorCoding) {
        Kernels.each { name in
            var random = SeededRandom(part: 11)
            for kind in Kind.allCases {
                for dimensions in [2, 7, 64, 384] {
                    let vectors = vectors(kind, dimensions, &random)
                    for query in [vectors[3], self.vectors(kind, dimensions, &random)[0]] {
                        let least = leastDistances(vectors, sample: vectors[..<12], to: query, metric, encoding)
                        for (vector, least) in zip(vectors, least) {
                            let exact = distance(query, vector, metric)
                            #expect(Double(least) <= exact, "\(name) \(kind) \(dimensions)")
                        }
                    }
                }
            }
        }
    }

    @Test("codes of 8 bits tell nearly all of a distance", arguments: VectorMetric.allCases)
    func narrow(metric: VectorMetric) {
        var random = SeededRandom(part: 12)
        let vectors = vectors(.usual, 384, &random)
        let query = random.vector(384)
        for encoding in [VectorCoding.none, .sq8] {
            let least = leastDistances(vectors, sample: vectors[...], to: query, metric, encoding)
            // Products of random vectors have the size of the square root of the dimensions.
            let scale = metric == .dot ? 384.0.squareRoot() : 0
            for (vector, least) in zip(vectors, least) {
                let exact = distance(query, vector, metric)
                #expect(exact - Double(least) < 0.03 * max(abs(exact), scale))
            }
        }
    }
}
