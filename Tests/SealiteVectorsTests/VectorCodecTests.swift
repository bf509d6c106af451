import SealiteTestSupport
import SealiteVectors
import Testing

@Suite("chunks of entries")
struct VectorCodecTests {
    private static let pairs: [(VectorMetric, VectorCoding)] = VectorMetric.allCases.flatMap { metric in
        VectorCoding.allCases.map { (metric, $0) }
    }

    private func codec(
        _ metric: VectorMetric, _ encoding: VectorCoding, _ dimensions: Int, _ sample: [[Float]]
    ) -> VectorCodec {
        let values = (metric == .cosine ? sample.map(\.normalized) : sample).flatMap { $0 }
        let ranges = unsafe values.withUnsafeBufferPointer {
            unsafe VectorRanges(sample: $0, dimensions: dimensions, steps: encoding.steps)
        }
        return VectorCodec(metric: metric, encoding: encoding, dimensions: dimensions, ranges: ranges)
    }

    private func write(_ vectors: [[Float]], _ codec: VectorCodec) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: codec.chunkByteCount)
        unsafe chunk.withUnsafeMutableBytes { chunk in
            for (place, vector) in vectors.enumerated() {
                unsafe vector.withUnsafeBufferPointer {
                    unsafe codec.write(Int64(100 + place), $0, at: place, to: chunk)
                }
            }
        }
        return chunk
    }

    /// Returns the distances from a chunk that lies at an odd address.
    private func distances(_ codec: VectorCodec, _ vector: [Float], _ chunk: [UInt8], _ count: Int) -> [Float] {
        var out = [Float](repeating: .nan, count: codec.capacity)
        let shifted = [0] + chunk
        unsafe vector.withUnsafeBufferPointer { vector in
            let query = unsafe codec.query(vector)
            unsafe shifted.withUnsafeBytes { chunk in
                unsafe out.withUnsafeMutableBufferPointer {
                    unsafe query.distances(UnsafeRawBufferPointer(rebasing: chunk[1...]), count: count, to: $0)
                }
            }
        }
        #expect(out[count...].allSatisfy { $0.isNaN }, "nothing is written behind the results")
        return Array(out[..<count])
    }

    @Test("the capacity fills 4,000 bytes, or 16,000 or 64,000 where less would be wasted")
    func capacity() {
        #expect(VectorCodec.capacity(entryByteCount: 396) == 10)
        #expect(VectorCodec.capacity(entryByteCount: 4000) == 1)
        #expect(VectorCodec.capacity(entryByteCount: 1548) == 10)
        #expect(VectorCodec.capacity(entryByteCount: 3084) == 5)
        #expect(VectorCodec.capacity(entryByteCount: 9000) == 7)
        #expect(VectorCodec.capacity(entryByteCount: 16_396) == 3)
        #expect(VectorCodec.capacity(entryByteCount: 100_000) == 1)
        for size in 13...16_396 {
            let capacity = VectorCodec.capacity(entryByteCount: size)
            #expect(capacity >= 1 && capacity * size <= 64_000)
        }
    }

    @Test("distances from codes are near the true ones, and without codes equal to them", arguments: pairs)
    func distances(metric: VectorMetric, encoding: VectorCoding) {
        Kernels.each { name in
            var random = SeededRandom(part: 7)
            for dimensions in [2, 3, 5, 31, 64, 65, 101, 384] {
                let vectors = (0..<20).map { _ in random.vector(dimensions) }
                let codec = codec(metric, encoding, dimensions, vectors)
                let count = min(codec.capacity, vectors.count)
                let chunk = write(Array(vectors[..<count]), codec)
                let query = random.vector(dimensions)
                // A value is off by half a step at most, a step being 2 / steps; sums of errors grow as a square root.
                let step = encoding == .none ? 1e-6 : 2 / Double(encoding.steps)
                let measured: VectorMetric = metric == .euclidean ? .euclideanSquared : metric
                let length = metric == .cosine ? 1 : Double(dimensions).squareRoot()
                let tolerance = step * (metric == .dot || metric == .cosine ? 1.5 : 4) * length
                for (place, distance) in distances(codec, query, chunk, count).enumerated() {
                    let exact = measured.exact(query, vectors[place])
                    #expect(
                        abs(Double(distance) - exact) < tolerance, "\(name) \(dimensions) \(distance) \(exact)")
                }
            }
        }
    }

    @Test("a vector is nearest to itself", arguments: [VectorMetric.euclidean, .cosine], VectorCoding.allCases)
    func nearest(metric: VectorMetric, encoding: VectorCoding) {
        Kernels.each { _ in
            var random = SeededRandom(part: 8)
            let vectors = (0..<5).map { _ in random.vector(128) }
            let codec = codec(metric, encoding, 128, vectors)
            let chunk = write(vectors, codec)
            for (place, vector) in vectors.enumerated() {
                let distances = distances(codec, vector, chunk, 5)
                #expect(distances.min() == distances[place])
                #expect(distances.allSatisfy { $0 >= -1e-3 })
            }
        }
    }

    @Test("documents are stored, moved within and between chunks, and cleared")
    func entries() {
        var random = SeededRandom(part: 9)
        let vectors = (0..<4).map { _ in random.vector(10) }
        let codec = codec(.euclidean, .sq8, 10, vectors)
        #expect(codec.codeByteCount == 10 && codec.entryByteCount == 22 && codec.chunkByteCount == codec.capacity * 22)
        var chunk = write(vectors, codec)
        let original = chunk
        var other = [UInt8](repeating: 0, count: codec.chunkByteCount)
        unsafe chunk.withUnsafeMutableBytes { chunk in
            let documents = (0..<4).map { unsafe codec.document(at: $0, in: UnsafeRawBufferPointer(chunk)) }
            #expect(documents == [100, 101, 102, 103])
            unsafe other.withUnsafeMutableBytes { other in
                unsafe codec.move(from: 3, of: UnsafeRawBufferPointer(chunk), to: 0, of: other)
                #expect(unsafe codec.document(at: 0, in: UnsafeRawBufferPointer(other)) == 103)
            }
            unsafe codec.move(from: 3, of: UnsafeRawBufferPointer(chunk), to: 1, of: chunk)
            unsafe codec.clear(3, in: chunk)
        }
        #expect(other == write([vectors[3]], codec).replacing([100], with: [103], maxReplacements: 1))
        #expect(distances(codec, vectors[3], other, 1) == [distances(codec, vectors[3], original, 4)[3]])
        #expect(distances(codec, vectors[3], chunk, 2)[1] == distances(codec, vectors[3], original, 4)[3])
        unsafe chunk.withUnsafeMutableBytes { chunk in for place in 0..<3 { unsafe codec.clear(place, in: chunk) } }
        #expect(chunk.allSatisfy { $0 == 0 })
        #expect(distances(codec, vectors[0], original, 0) == [])
    }

    @Test("a document's number of any sign and size is stored")
    func documents() {
        let codec = codec(.dot, .none, 2, [])
        var chunk = [UInt8](repeating: 0, count: codec.chunkByteCount)
        let vector: [Float] = [1, 2]
        unsafe chunk.withUnsafeMutableBytes { chunk in
            for document in [Int64.min, -1, 0, 1, Int64.max] {
                unsafe vector.withUnsafeBufferPointer {
                    unsafe codec.write(document, $0, at: codec.capacity - 1, to: chunk)
                }
                #expect(
                    unsafe codec.document(at: codec.capacity - 1, in: UnsafeRawBufferPointer(chunk)) == document)
            }
        }
    }

    @Test("a chunk's bytes are those of the format")
    func bytes() {
        let codec = codec(.euclidean, .sq4, 3, [[0, 0, 0], [15, 30, 0]])
        let chunk = write([[1, 4, 0], [15, 30, 7]], codec)
        #expect(codec.capacity == 285 && codec.codeByteCount == 2)
        #expect(chunk[..<16] == [100, 0, 0, 0, 0, 0, 0, 0, 101, 0, 0, 0, 0, 0, 0, 0])
        // 1² + 4² = 17 with an error that is only rounding, and 15² + 30² = 1125 with one of 7.
        #expect(chunk[(285 * 8)..<(285 * 8 + 8)] == [0x01, 0x00, 0x88, 0x41, 0xFF, 0xA0, 0x8C, 0x44])
        #expect(chunk[(285 * 12)..<(285 * 12 + 4)] == [0x21, 0x00, 0xFF, 0x00])
        let six = self.codec(.euclidean, .sq6, 5, [[0, 0, 0, 0, 0], [63, 63, 63, 63, 63]])
        let codes = write([[1, 2, 3, 4, 63]], six)[(six.capacity * 12)..<(six.capacity * 12 + 4)]
        #expect(codes == [0b10_000001, 0b0011_0000, 0b000100_00, 0b00_111111])
    }

    @Test("values outside of the sample's range have the nearest code, and huge ones no undefined behaviour")
    func outside() {
        Kernels.each { _ in
            let codec = codec(.euclidean, .sq8, 2, [[0, 0], [1, 1]])
            let chunk = write([[-5, 9], [3e38, -3e38], [0.5, 0.5]], codec)
            #expect(chunk[(codec.capacity * 12)..<(codec.capacity * 12 + 4)] == [0, 255, 255, 0])
            let huge = distances(codec, [3e38, 3e38], chunk, 3)
            #expect(huge.allSatisfy { !$0.isNaN })
            let tiny = Float.leastNonzeroMagnitude
            let wide = self.codec(.euclidean, .sq8, 2, [[-3e38, 0], [3e38, tiny]])
            let far = distances(wide, [1, 0], write([[3e38, 0], [-3e38, tiny], [0, 0]], wide), 3)
            #expect(far.allSatisfy { !$0.isNaN })
        }
    }

    @Test("a zero vector has the distance 1 from all by cosine", arguments: VectorCoding.allCases)
    func zeros(encoding: VectorCoding) {
        let codec = codec(.cosine, encoding, 3, [[0, 0, 0], [1, 1, 1]])
        let chunk = write([[0, 0, 0], [1, 2, 3]], codec)
        #expect(distances(codec, [1, 2, 3], chunk, 1) == [1])
        #expect(distances(codec, [0, 0, 0], chunk, 2) == [1, 1])
    }

    @Test("vectors of the most dimensions with equal values don't overflow", arguments: VectorCoding.allCases)
    func greatest(encoding: VectorCoding) {
        Kernels.each { name in
            let (low, high) = ([Float](repeating: 0, count: 4096), [Float](repeating: 1, count: 4096))
            let codec = codec(.dot, encoding, 4096, [low, high])
            let distances = distances(codec, high, write([high, low], codec), 2)
            #expect(abs(distances[0] + 4096) < 1 && abs(distances[1]) < 1, "\(name) \(distances)")
            let negative = self.distances(codec, high.map { -$0 }, write([high, low], codec), 1)
            #expect(abs(negative[0] - 4096) < 1, "\(name)")
        }
    }
}

@Suite("ranges of values")
struct VectorRangesTests {
    private func ranges(_ sample: [Float], _ dimensions: Int, _ steps: Int) -> VectorRanges {
        unsafe sample.withUnsafeBufferPointer { unsafe VectorRanges(sample: $0, dimensions: dimensions, steps: steps) }
    }

    @Test("they contain the least value and the step of each dimension")
    func stored() {
        let stored = ranges([1, -2, 5, 8], 2, 4).stored
        let values = stride(from: 0, to: stored.count, by: 4).map { offset in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(stored[offset + $1]) << UInt32(8 * $1) })
        }
        #expect(values == [1, -2, 1, 2.5])
    }

    @Test("a constant dimension has the step 0, and an empty sample the range 0")
    func constant() throws {
        let constant = ranges([3, 1, 3, 2], 2, 255)
        #expect(constant.stored[8..<12] == [0, 0, 0, 0])
        #expect(ranges([], 2, 255).stored == [UInt8](repeating: 0, count: 16))
        #expect(ranges([1, 2], 2, 0) == .none && VectorRanges.none.stored == [])
    }

    @Test("stored ranges are read as they were, and others refused")
    func reading() {
        let ranges = ranges([1, -2, 5, 8], 2, 63)
        let stored = ranges.stored
        #expect(VectorRanges(stored: stored.span, dimensions: 2) == ranges)
        let short = Array(stored.dropLast())
        #expect(VectorRanges(stored: short.span, dimensions: 2) == nil)
        #expect(VectorRanges(stored: stored.span, dimensions: 1) == nil)
        for (offset, high) in [(3, UInt8(0x7F)), (3, 0xFF), (11, 0x7F), (11, 0xBF)] {
            var damaged = stored
            (damaged[offset - 1], damaged[offset]) = (0x80, high)
            #expect(VectorRanges(stored: damaged.span, dimensions: 2) == nil, "\(offset)")
        }
    }
}
