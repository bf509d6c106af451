import SealiteTestSupport
import SealiteVectors
import Testing

@Suite("k-means")
struct KMeansTests {
    private struct Cancelled: Error {}

    private func train(
        _ sample: [Float], _ dimensions: Int, _ centroids: Int, seed: UInt64 = 1, isSpherical: Bool = false,
        iterations: Int = 10
    ) -> [Float] {
        unsafe sample.withUnsafeBufferPointer {
            unsafe KMeans.train(
                $0, dimensions: dimensions, centroids: centroids, seed: seed, isSpherical: isSpherical,
                iterations: iterations, progress: { _, _ in })
        }
    }

    private func nearest(_ count: Int?, _ vector: [Float], _ centroids: [Float]) -> [Int] {
        unsafe vector.withUnsafeBufferPointer { vector in
            unsafe centroids.withUnsafeBufferPointer { centroids in
                guard let count else { return unsafe [KMeans.nearest(vector, centroids)] }
                return unsafe KMeans.nearest(count, to: vector, centroids)
            }
        }
    }

    private func assign(_ vectors: [Float], _ dimensions: Int, _ centroids: [Float]) -> [Int32] {
        var lists = [Int32](repeating: -1, count: vectors.count / dimensions)
        unsafe vectors.withUnsafeBufferPointer { vectors in
            unsafe centroids.withUnsafeBufferPointer { centroids in
                unsafe lists.withUnsafeMutableBufferPointer {
                    unsafe KMeans.assign(vectors, dimensions: dimensions, centroids, to: $0)
                }
            }
        }
        return lists
    }

    private func rows(_ values: [Float], _ dimensions: Int) -> [[Float]] {
        stride(from: 0, to: values.count, by: dimensions).map { Array(values[$0..<$0 + dimensions]) }
    }

    @Test("the same seed gives the same centroids, another one others")
    func deterministic() {
        Kernels.each { _ in
            var random = SeededRandom(part: 10)
            let sample = random.vector(2000 * 12)
            let first = train(sample, 12, 20, seed: 5)
            #expect(first == train(sample, 12, 20, seed: 5))
            #expect(first != train(sample, 12, 20, seed: 6))
        }
    }

    @Test("clusters that lie apart are found")
    func clusters() {
        Kernels.each { name in
            var random = SeededRandom(part: 11)
            let centers = (0..<8).map { index in
                (0..<6).map { dimension -> Float in (index >> (dimension % 3) & 1) == 1 ? 50 : -50 }
            }
            let sample = (0..<1000).flatMap { index in centers[index % 8].map { $0 + random.float() } }
            let found = rows(train(sample, 6, 8), 6)
            for center in centers {
                #expect(found.contains { $0.exactDistance(center) < 0.1 }, "\(name)")
            }
        }
    }

    @Test("more iterations don't leave vectors farther from their centroids")
    func improving() {
        var random = SeededRandom(part: 12)
        let sample = random.vector(1500 * 8)
        func error(_ iterations: Int) -> Double {
            let centroids = rows(train(sample, 8, 30, iterations: iterations), 8)
            return rows(sample, 8).reduce(0) { sum, row in sum + (centroids.map(row.exactDistance).min() ?? .infinity) }
        }
        let (none, few, many) = (error(0), error(3), error(15))
        #expect(none > few && few >= many)
    }

    @Test("spherical centroids have the length 1")
    func spherical() {
        var random = SeededRandom(part: 13)
        let sample = (0..<500).flatMap { _ in random.vector(16).normalized }
        for centroid in rows(train(sample, 16, 10, isSpherical: true), 16) {
            #expect(abs(centroid.exactDot(centroid) - 1) < 1e-5)
        }
    }

    @Test("more centroids than distinct vectors still contain each of those")
    func fewVectors() {
        let sample: [Float] = [1, 2, 3, 4, 1, 2, 3, 4, 5, 6]
        let found = rows(train(sample, 2, 12), 2)
        #expect(found.count == 12)
        for row in rows(sample, 2) { #expect(found.contains(row)) }
        #expect(train([7, 7], 2, 3) == [7, 7, 7, 7, 7, 7])
    }

    @Test("an empty sample gives zeros")
    func empty() {
        #expect(train([], 3, 2) == [0, 0, 0, 0, 0, 0])
    }

    @Test("vectors that nothing distinguishes but a few are divided all the same")
    func duplicates() {
        var random = SeededRandom(part: 14)
        let sample = [Float](repeating: 1, count: 4 * 3000) + random.vector(4 * 300)
        let lists = assign(sample, 4, train(sample, 4, 40))
        #expect(Set(lists).count > 20)
    }

    @Test("progress rises to the whole work, and stops the training by throwing")
    func progress() {
        var random = SeededRandom(part: 15)
        let sample = random.vector(3000 * 4)
        func train(progress: (Int, Int) throws -> Void) rethrows {
            _ = try unsafe sample.withUnsafeBufferPointer {
                try unsafe KMeans.train(
                    $0, dimensions: 4, centroids: 10, seed: 1, isSpherical: false, iterations: 10, progress: progress)
            }
        }
        var reports: [Int] = []
        train { done, work in
            #expect(work == 30_000 && done <= work)
            reports.append(done)
        }
        #expect(reports == reports.sorted() && reports.first == 0 && reports.last == 30_000 && reports.count > 10)
        #expect(throws: Cancelled.self) {
            try train { done, _ in if done > 5000 { throw Cancelled() } }
        }
    }

    @Test("many vectors at once get the same lists as one by one, the nearest by definition")
    func assigning() {
        Kernels.each { name in
            var random = SeededRandom(part: 16)
            for (dimensions, count, vectors) in [(1, 5, 7), (3, 1, 4), (10, 33, 100), (100, 50, 61), (384, 20, 13)] {
                let centroids = random.vector(dimensions * count)
                let sample = random.vector(dimensions * vectors)
                let lists = assign(sample, dimensions, centroids)
                for (row, list) in zip(rows(sample, dimensions), lists) {
                    #expect(nearest(nil, row, centroids) == [Int(list)], "\(name)")
                    let distances = rows(centroids, dimensions).map(row.exactDistance)
                    #expect(distances[Int(list)] <= (distances.min() ?? 0) + 1e-4, "\(name)")
                    let order = nearest(7, row, centroids)
                    #expect(order.count == min(7, count) && order.first == Int(list) && Set(order).count == order.count)
                    #expect(
                        zip(order, order.dropFirst()).allSatisfy { distances[$0] <= distances[$1] + 1e-4 }, "\(name)")
                }
            }
        }
    }

    @Test("among equal centroids the first one is nearest")
    func ties() {
        Kernels.each { _ in
            let centroids: [Float] = [9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
            #expect(nearest(nil, [1, 2], centroids) == [1] && assign([1, 2], 2, centroids) == [1])
            #expect(nearest(3, [1, 2], centroids) == [1, 2, 3])
            #expect(nearest(0, [1, 2], centroids) == [])
        }
    }
}
