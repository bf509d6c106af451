import SealiteTestSupport
import SealiteVectors
import Testing

@Suite("metrics and encodings")
struct MetricTests {
    @Test("names in queries are read without regard to case")
    func names() {
        for (name, metric) in [
            ("euclidean", VectorMetric.euclidean), ("L2", .euclidean), ("l2", .euclidean), ("Euclidean", .euclidean),
            ("euclidean_squared", .euclideanSquared), ("EUCLIDEAN2", .euclideanSquared),
            ("l2_SQUARED", .euclideanSquared), ("Cosine", .cosine), ("DOT", .dot),
        ] {
            #expect(VectorMetric(queryName: name) == metric)
        }
        for name in ["", "manhattan", "l2 ", "L1", "euclidean3"] { #expect(VectorMetric(queryName: name) == nil) }
    }

    @Test("raw values are those of files")
    func rawValues() {
        #expect(VectorMetric.allCases.map(\.rawValue) == ["euclidean", "euclidean2", "cosine", "dot"])
        #expect(VectorCoding.allCases.map(\.rawValue) == ["none", "SQ4", "SQ6", "SQ8"])
        #expect(VectorCoding.allCases.map(\.steps) == [0, 15, 63, 255])
        #expect(VectorCoding.allCases.map { $0.byteCount(dimensions: 7) } == [28, 4, 6, 7])
    }

    @Test("distances are those of the definition", arguments: VectorMetric.allCases)
    func distances(metric: VectorMetric) {
        Kernels.each { name in
            var random = SeededRandom(part: 5)
            for length in [2, 3, 100, 384] {
                let (left, right) = (random.vector(length), random.vector(length))
                #expect(abs(metric.distance(left, right) - metric.exact(left, right)) < 1e-4, "\(name) \(length)")
            }
        }
    }

    @Test("vectors whose products are too large or too small for a Float have exact distances")
    func extremes() {
        let large: [Float] = [3e38, -3e38]
        let small: [Float] = [3e-30, 4e-30]
        #expect(
            VectorMetric.euclidean.distance(large, [-3e38, 3e38]) == VectorMetric.euclidean.exact(large, [-3e38, 3e38]))
        #expect(VectorMetric.dot.distance(large, [3e38, 3e38]) == 0)
        #expect(abs(VectorMetric.cosine.distance(large, large)) < 1e-12)
        #expect(abs(VectorMetric.cosine.distance(small, [3, 4])) < 1e-6)
        #expect(abs(VectorMetric.euclidean.distance(small, [0, 0]) / 5e-30 - 1) < 1e-6)
        #expect(VectorMetric.cosine.distance([0, 0], [1, 2]) == 1)
        #expect(VectorMetric.cosine.distance([0, 0], [0, 0]) == 1)
    }

    @Test("normalizing leaves a zero vector alone and gives any other the length 1")
    func normalizing() {
        func normalized(_ vector: [Float]) -> [Float] {
            var vector = vector
            unsafe vector.withUnsafeMutableBufferPointer { unsafe VectorMath.normalize($0) }
            return vector
        }
        #expect(normalized([0, 0]) == [0, 0] && normalized([3, 4]) == [0.6, 0.8])
        #expect(normalized([3e38, 0]) == [1, 0] && normalized([0, -Float.leastNonzeroMagnitude]) == [0, -1])
    }
}

@Suite("the heap of nearest candidates")
struct NearestHeapTests {
    @Test("it keeps what sorting all candidates puts first, with ties by the document")
    func sorting() {
        var random = SeededRandom(part: 6)
        for capacity in [1, 2, 3, 10, 64, 1000] {
            for count in [0, 1, 5, 64, 500] {
                // Few distinct distances, so that there are ties.
                let candidates = (0..<count).map { _ in
                    (document: Int64(random.below(1_000_000)) - 500_000, distance: Float(random.below(20)))
                }
                var heap = NearestHeap(capacity: capacity)
                for candidate in candidates { heap.add(candidate.document, candidate.distance) }
                let expected = candidates.sorted { ($0.distance, $0.document) < ($1.distance, $1.document) }
                #expect(heap.worst == (count < capacity ? .infinity : expected[capacity - 1].distance))
                #expect(heap.sorted().elementsEqual(expected.prefix(capacity), by: ==))
            }
        }
    }

    @Test("a distance that isn't a number is infinite, and enters only while there is room")
    func notNumbers() {
        var heap = NearestHeap(capacity: 2)
        heap.add(1, .nan)
        heap.add(2, 5)
        #expect(heap.worst == .infinity)
        heap.add(3, .nan)
        heap.add(4, 7)
        heap.add(5, .nan)
        #expect(heap.worst == 7 && heap.count == 2)
        #expect(heap.sorted().map(\.document) == [2, 4])
    }
}
