@testable import SealiteFunctions
@testable import SealiteVectors

/// The tables of a vector index as somebody else may have written them: ranges, centroids and chunks of entries.
///
/// The first byte is the metric and the encoding, the second the number of dimensions, the third a place, the fourth a count of
/// entries. Then follow a vector that is searched for, ranges and a chunk, of which what is missing is zero. The whole input is read as
/// centroids and as the text of an index's form, too.
final class VectorListsFuzz: FuzzTarget {
    init() throws {}

    private struct Input {
        let metric: VectorMetric
        let encoding: VectorCoding
        let dimensions: Int
        let place: Int
        let count: Int
        let vector: [UInt8]
        let ranges: [UInt8]
        let chunk: [UInt8]

        init?(_ input: [UInt8]) {
            guard input.count >= 4 else { return nil }
            metric = VectorMetric.allCases[Int(input[0] & 3)]
            encoding = VectorCoding.allCases[Int(input[0] >> 2 & 3)]
            dimensions = 2 + Int(input[1]) % 80
            (place, count) = (Int(input[2]), Int(input[3]))
            var rest = input[4...]
            func take(_ count: Int) -> [UInt8] {
                let taken = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
                return taken
            }
            vector = take(dimensions * 4)
            ranges = take(encoding == .none ? 0 : dimensions * 8)
            chunk = Array(rest)
        }
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        try checkForm(String(decoding: input, as: UTF8.self))
        guard let parts = Input(input) else { return }
        var vector = [Float](repeating: 0, count: parts.dimensions)
        let isRead = unsafe vector.withUnsafeMutableBufferPointer {
            unsafe VectorReader.read(floats: parts.vector.span, into: $0)
        }
        guard isRead else { return }
        try checkCentroids(parts, vector, input)
        let ranges = VectorRanges(stored: parts.ranges.span, parts.encoding, dimensions: parts.dimensions)
        guard let ranges else { return }
        try BrokenProperty.unless(ranges.stored == parts.ranges, "ranges are stored as others")
        try checkChunk(
            parts, vector,
            VectorCodec(
                metric: parts.metric, encoding: parts.encoding, dimensions: parts.dimensions, ranges: ranges))
    }

    private func checkForm(_ text: String) throws(BrokenProperty) {
        guard let plan = VectorPlan(index: 1, documents: "d", source: "s", form: text) else { return }
        let again = VectorPlan(index: 1, documents: "d", source: "s", form: plan.form)
        try BrokenProperty.unless(again == plan, "the form of an index is another the second time")
    }

    private func checkCentroids(_ parts: Input, _ vector: [Float], _ input: [UInt8]) throws(BrokenProperty) {
        let size = parts.dimensions * 4
        guard let floats = VectorsFuzz.floats(Array(input.prefix(input.count / size * size))), !floats.isEmpty else {
            return
        }
        let count = floats.count / parts.dimensions
        let (all, best) = unsafe floats.withUnsafeBufferPointer { centroids in
            unsafe vector.withUnsafeBufferPointer { vector in
                unsafe (KMeans.nearest(count, to: vector, centroids), KMeans.nearest(vector, centroids))
            }
        }
        try BrokenProperty.unless(all.sorted() == Array(0..<count), "the nearest lists aren't all lists")
        try BrokenProperty.unless((0..<count).contains(best), "the nearest list is none")
    }

    private func checkChunk(_ parts: Input, _ vector: [Float], _ codec: VectorCodec) throws(BrokenProperty) {
        let size = codec.chunkByteCount
        var chunk = Array(parts.chunk.prefix(size))
        chunk += [UInt8](repeating: 0, count: size - chunk.count)
        let (count, place) = (parts.count % (codec.capacity + 1), parts.place % codec.capacity)
        try checkDistances(distances(chunk, vector, count, codec), parts.metric)

        // An entry that is written is there, and nothing else has changed.
        var written = chunk
        unsafe written.withUnsafeMutableBytes { bytes in
            unsafe vector.withUnsafeBufferPointer { unsafe codec.write(-4711, $0, at: place, to: bytes) }
        }
        try BrokenProperty.unless(document(written, place, codec) == -4711, "an entry has another document")
        let other = (place + 1) % codec.capacity
        try BrokenProperty.unless(
            other == place || document(written, other, codec) == document(chunk, other, codec),
            "an entry changes another one")
        let own = distances(written, vector, place + 1, codec)
        try checkDistances(own, parts.metric)
        let isSmall = vector.allSatisfy { $0.magnitude < 1e9 }
        if parts.encoding == .none, isSmall, parts.metric == .euclidean || parts.metric == .euclideanSquared {
            try BrokenProperty.unless(own[place] == 0, "a vector isn't at its own place")
        }
        // Moved to another place and cleared, it is there only.
        unsafe written.withUnsafeMutableBytes { bytes in
            unsafe codec.move(from: place, of: UnsafeRawBufferPointer(bytes), to: other, of: bytes)
            if other != place { unsafe codec.clear(place, in: bytes) }
        }
        try BrokenProperty.unless(document(written, other, codec) == -4711, "a moved entry isn't there")
        try BrokenProperty.unless(other == place || document(written, place, codec) == 0, "an entry isn't cleared")
        unsafe written.withUnsafeMutableBytes { unsafe codec.clear(other, in: $0) }
        unsafe chunk.withUnsafeMutableBytes { bytes in
            for place in [place, other] { unsafe codec.clear(place, in: bytes) }
        }
        try BrokenProperty.unless(written == chunk, "a cleared entry leaves something")
    }

    private func document(_ chunk: [UInt8], _ place: Int, _ codec: VectorCodec) -> Int64 {
        unsafe chunk.withUnsafeBytes { unsafe codec.document(at: place, in: $0) }
    }

    private func distances(_ chunk: [UInt8], _ vector: [Float], _ count: Int, _ codec: VectorCodec) -> [Float] {
        var distances = [Float](repeating: 0, count: count)
        let query = unsafe vector.withUnsafeBufferPointer { unsafe codec.query($0) }
        unsafe chunk.withUnsafeBytes { chunk in
            unsafe distances.withUnsafeMutableBufferPointer { unsafe query.distances(chunk, count: count, to: $0) }
        }
        return distances
    }

    private func checkDistances(_ distances: [Float], _ metric: VectorMetric) throws(BrokenProperty) {
        try BrokenProperty.unless(!distances.contains(where: \.isNaN), "a distance isn't a number")
        if metric == .euclidean || metric == .euclideanSquared {
            try BrokenProperty.unless(distances.allSatisfy { $0 >= 0 }, "a distance is negative")
        }
        var heap = NearestHeap(capacity: 7)
        for (document, distance) in distances.enumerated() { heap.add(Int64(document), distance) }
        let nearest = heap.sorted()
        let all = distances.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
        try BrokenProperty.unless(
            nearest.map { Int($0.document) } == all.prefix(7).map(\.offset), "the nearest entries are others")
    }

    /// First inputs: a chunk with two entries for each metric and encoding, numbers at the limits, and forms.
    static func seeds() -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for kind in UInt8(0)..<16 {
            let dimensions = 3 + Int(kind)
            let (metric, encoding) = (
                VectorMetric.allCases[Int(kind & 3)], VectorCoding.allCases[Int(kind >> 2 & 3)]
            )
            let vectors = (0..<(2 * dimensions)).map { Float($0 % 5) - 1.5 }
            let vector = Array(vectors[..<dimensions])
            let ranges = unsafe vectors.withUnsafeBufferPointer {
                unsafe VectorRanges(sample: $0, dimensions: dimensions, steps: encoding.steps)
            }
            let codec = VectorCodec(metric: metric, encoding: encoding, dimensions: dimensions, ranges: ranges)
            var chunk = [UInt8](repeating: 0, count: codec.chunkByteCount)
            unsafe chunk.withUnsafeMutableBytes { bytes in
                unsafe vectors.withUnsafeBufferPointer { vectors in
                    for place in 0..<2 {
                        unsafe codec.write(
                            Int64(place + 1),
                            UnsafeBufferPointer(
                                rebasing: vectors[(place * dimensions)..<((place + 1) * dimensions)]), at: place,
                            to: bytes)
                    }
                }
            }
            // The rest is zero. Of small chunks all is there.
            let head = [kind, UInt8(dimensions - 2), kind, 2]
            let used = Array(chunk.prefix(600))
            seeds.append(head + VectorReader.bytes(of: vector) + ranges.stored + used)
        }
        let huge: [Float] = [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0]
        for kind: UInt8 in [0, 2, 4, 12, 15] {
            seeds.append([kind, 2, 0, 9] + VectorReader.bytes(of: huge + huge + huge.map(\.magnitude) + huge + huge))
        }
        for form in ["cosine SQ8 384", "dot none 2 lazy", "euclidean2 SQ4 4096"] { seeds.append(Array(form.utf8)) }
        return seeds
    }
}
