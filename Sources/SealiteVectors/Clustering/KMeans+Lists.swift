internal import CVectors

extension KMeans {
    /// The vectors of a sample in lists, one for each centroid.
    @safe struct Lists {
        private let vectors: UnsafePointer<Float>
        let count: Int
        private let dimensions: Int
        private let centroidCount: Int
        private(set) var centroids: [Float]
        /// The number of each vector's centroid; −1 before the first assignment.
        private var lists: [Int32]
        private var random: SplitMix

        /// The vectors that are assigned between two reports of progress.
        private static let batch = 1024
        /// The vectors for each centroid among which the first centroids are sought.
        private static let candidatesPerCentroid = 8

        init(_ vectors: UnsafePointer<Float>, count: Int, dimensions: Int, centroids: Int, seed: UInt64) {
            assert(count > 0)
            unsafe self.vectors = vectors
            (self.count, self.dimensions, centroidCount) = (count, dimensions, centroids)
            self.centroids = []
            lists = Array(repeating: -1, count: count)
            random = SplitMix(seed: seed)
        }

        private func vector(_ index: Int) -> UnsafeBufferPointer<Float> {
            unsafe UnsafeBufferPointer(start: vectors + index * dimensions, count: dimensions)
        }

        // MARK: - First centroids

        /// Chooses vectors as centroids by k-means++: each one at random, with a probability in proportion to the square
        /// of its distance from the centroids before it. Only a part of the sample is considered, since the time grows
        /// with the product of its size and the number of centroids.
        ///
        /// - Parameter progress: is called before each choice.
        mutating func seedCentroids(progress: () throws -> Void) rethrows {
            let candidates = candidates(min(count, max(centroidCount * Self.candidatesPerCentroid, 256)))
            var distances = [Float](repeating: .infinity, count: candidates.count)
            centroids.reserveCapacity(centroidCount * dimensions)
            var chosen = candidates[0]
            for _ in 0..<centroidCount {
                try progress()
                unsafe centroids.append(contentsOf: vector(chosen))
                var sum = 0.0
                for (place, candidate) in candidates.enumerated() {
                    let distance = unsafe sealite_squared_distance(
                        vector(candidate).baseAddress, vector(chosen).baseAddress, dimensions)
                    distances[place] = min(distances[place], distance)
                    sum += Double(distances[place])
                }
                chosen = candidates[place(distances, sum)]
            }
        }

        /// Returns distinct indexes of vectors, in random order.
        private mutating func candidates(_ wanted: Int) -> [Int] {
            var indexes = Array(0..<count)
            for place in 0..<wanted { indexes.swapAt(place, place + random.index(below: count - place)) }
            return Array(indexes[..<wanted])
        }

        /// Returns a random place, with a probability in proportion to its distance; any place if all are 0 or the sum
        /// isn't finite.
        private mutating func place(_ distances: [Float], _ sum: Double) -> Int {
            guard sum > 0, sum.isFinite else { return random.index(below: distances.count) }
            var remaining = random.fraction() * sum
            var last = 0
            for (place, distance) in distances.enumerated() where distance > 0 {
                last = place
                remaining -= Double(distance)
                if remaining < 0 { break }
            }
            return last
        }

        // MARK: - Iterations

        /// Assigns each vector to its nearest centroid.
        ///
        /// - Parameter progress: is called with the number of vectors that have been assigned.
        /// - Returns: the number of vectors whose centroid isn't the one that it was before.
        mutating func assign(progress: (Int) throws -> Void) rethrows -> Int {
            var changes = 0
            try unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.batch) { assigned in
                for start in stride(from: 0, to: count, by: Self.batch) {
                    let length = min(Self.batch, count - start)
                    unsafe centroids.withUnsafeBufferPointer { centroids in
                        unsafe KMeans.assign(
                            UnsafeBufferPointer(start: vectors + start * dimensions, count: length * dimensions),
                            dimensions: dimensions, centroids, to: assigned)
                    }
                    for index in 0..<length {
                        if unsafe lists[start + index] != assigned[index] { changes += 1 }
                        unsafe lists[start + index] = assigned[index]
                    }
                    try progress(start + length)
                }
            }
            return changes
        }

        /// Moves each centroid to the mean of its vectors; one without vectors takes the place of a vector of the largest
        /// list.
        mutating func moveCentroids(isSpherical: Bool) {
            var sums = [Double](repeating: 0, count: centroids.count)
            var counts = [Int](repeating: 0, count: centroidCount)
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                for (index, list) in lists.enumerated() {
                    counts[Int(list)] += 1
                    let sum = unsafe sums.baseAddress.map { unsafe $0 + Int(list) * dimensions }
                    unsafe sealite_add(vector(index).baseAddress, dimensions, sum)
                }
            }
            for list in 0..<centroidCount where counts[list] > 0 {
                let place = list * dimensions..<(list + 1) * dimensions
                let divisor = isSpherical ? norm(sums[place]) : Double(counts[list])
                for index in place {
                    centroids[index] = Float(divisor > 0 ? sums[index] / divisor : 0)
                }
            }
            for list in 0..<centroidCount where counts[list] == 0 { splitLargest(into: list, &counts) }
        }

        private func norm(_ sums: ArraySlice<Double>) -> Double { sums.reduce(0) { $0 + $1 * $1 }.squareRoot() }

        /// Moves an empty list's centroid to a random vector of the largest list, about half of which it will get.
        private mutating func splitLargest(into empty: Int, _ counts: inout [Int]) {
            guard let largest = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[largest] > 1 else { return }
            var remaining = random.index(below: lists.count { $0 == largest })
            let place = lists.firstIndex {
                guard $0 == largest else { return false }
                remaining -= 1
                return remaining < 0
            }
            guard let place else { return }
            let source = unsafe vector(place)
            for dimension in 0..<dimensions { unsafe centroids[empty * dimensions + dimension] = source[dimension] }
            counts[largest] /= 2
        }
    }
}
