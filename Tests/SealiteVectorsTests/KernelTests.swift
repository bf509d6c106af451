import CVectors
import SealiteTestSupport
import Testing

@Suite("kernels")
struct KernelTests {
    private static let lengths = Array(1...130) + [384, 385, 1000, 1536, 4095, 4096]

    @Test("products and distances of floats equal a plain loop's within rounding, at any length and alignment")
    func floats() {
        Kernels.each { name in
            var random = SeededRandom(part: 1)
            for length in Self.lengths {
                let (left, right) = (random.vector(length), random.vector(length))
                let tolerance = 1e-6 * Double(length).squareRoot() + 1e-7
                #expect(
                    unsafe abs(Double(sealite_dot(left, right, length)) - left.exactDot(right)) < tolerance,
                    "\(name) \(length)")
                let distance = unsafe Double(sealite_squared_distance(left, right, length))
                #expect(abs(distance / left.exactDistance(right) - 1) < 1e-6, "\(name) \(length)")
                // Rows follow each other from an odd address on.
                let rows = (0..<5).map { _ in random.vector(length) }
                var bytes: [UInt8] = [0]
                for row in rows { unsafe row.withUnsafeBytes { unsafe bytes += $0 } }
                var (products, distances) = ([Float](repeating: .nan, count: 6), [Float](repeating: .nan, count: 6))
                unsafe bytes.withUnsafeBytes { bytes in
                    let start = unsafe bytes.baseAddress.map { unsafe $0 + 1 }
                    unsafe sealite_dots(left, start, length, 5, &products)
                    unsafe sealite_squared_distances(left, start, length, 5, &distances)
                }
                for (place, row) in rows.enumerated() {
                    #expect(abs(Double(products[place]) - left.exactDot(row)) < tolerance, "\(name) \(length)")
                    #expect(abs(Double(distances[place]) / left.exactDistance(row) - 1) < 1e-6, "\(name) \(length)")
                }
                #expect(products[5].isNaN && distances[5].isNaN, "nothing is written behind the results")
            }
        }
    }

    @Test("sums of weights and codes are exact for any length and number of rows", arguments: [8, 6, 4])
    func codes(bits: Int) {
        Kernels.each { name in
            var random = SeededRandom(part: 2)
            for length in Self.lengths {
                let codes = (0..<9).map { _ in (0..<length).map { _ in random.below(1 << bits) } }
                let limit = min(32767, Int(Int32.max) / ((1 << bits - 1) * length))
                let weights = (0..<length).map { _ in random.below(2 * limit + 1) - limit }
                for count in [1, 3, 4, 9] {
                    let sums = sums(weights, Array(codes[..<count]), bits)
                    let exact = codes[..<count].map { row in Float(zip(row, weights).reduce(0) { $0 + $1.0 * $1.1 }) }
                    #expect(sums == exact, "\(name) \(length)")
                }
            }
        }
    }

    @Test("the greatest codes and weights that fit in a sum don't overflow", arguments: [8, 6, 4])
    func extremes(bits: Int) {
        Kernels.each { name in
            let greatest = 1 << bits - 1
            for length in [1, 64, 257, 384, 4096] {
                let weight = min(32767, Int(Int32.max) / (greatest * length))
                for sign in [1, -1] {
                    let codes = [[Int]](repeating: [Int](repeating: greatest, count: length), count: 5)
                    let sums = sums([Int](repeating: sign * weight, count: length), codes, bits)
                    #expect(sums.allSatisfy { $0 == Float(sign * weight * greatest * length) }, "\(name) \(length)")
                }
            }
        }
    }

    @Test("the scale and the constant are applied to sums of codes")
    func scale() {
        Kernels.each { _ in
            let sums = sums([3, -2], [[1, 2], [5, 1]], 8, scale: 0.5, constant: 10)
            #expect(sums == [9.5, 16.5])
        }
    }

    @Test("scores are squared norms less twice the products, the same bits one by one and in tiles")
    func scores() {
        Kernels.each { name in
            var random = SeededRandom(part: 3)
            for (length, count, vectors) in [(1, 1, 1), (7, 3, 2), (8, 4, 3), (19, 9, 14), (384, 17, 30)] {
                let centroids = random.vector(length * count)
                let all = random.vector(length * vectors)
                var norms = [Float](repeating: 0, count: count)
                var nearest = [Int32](repeating: -1, count: vectors)
                unsafe sealite_norms(centroids, length, count, &norms)
                unsafe sealite_assign(all, vectors, centroids, norms, count, length, &nearest)
                for index in 0..<vectors {
                    let vector = Array(all[index * length..<(index + 1) * length])
                    var scores = [Float](repeating: .nan, count: count + 1)
                    unsafe sealite_scores(vector, centroids, length, count, &scores)
                    #expect(scores[count].isNaN)
                    let best = (0..<count).min { scores[$0] < scores[$1] }
                    #expect(nearest[index] == best.map(Int32.init), "\(name) \(length)")
                    for place in 0..<count {
                        let centroid = Array(centroids[place * length..<(place + 1) * length])
                        let exact = centroid.exactDot(centroid) - 2 * vector.exactDot(centroid)
                        #expect(abs(Double(scores[place]) - exact) < 1e-4, "\(name) \(length)")
                    }
                }
            }
        }
    }

    /// Returns the sums of products of weights and the codes of rows, which are packed and arranged here.
    private func sums(
        _ weights: [Int], _ rows: [[Int]], _ bits: Int, scale: Double = 1, constant: Double = 0
    ) -> [Float] {
        let planes = bits == 4 ? 4 : 2
        var arranged = [Int16](repeating: 0, count: (weights.count + 16 * planes - 1) / (16 * planes) * 16 * planes)
        for (index, weight) in weights.enumerated() {
            let place = index % (16 * planes)
            arranged[index - place + place % planes * 16 + place / planes] = Int16(weight)
        }
        // An odd address, and no byte more than the rows take, so that a sanitizer sees reads behind them.
        var bytes: [UInt8] = [0]
        for row in rows { bytes += packed(row, bits) }
        var sums = [Float](repeating: .nan, count: rows.count + 1)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe sealite_code_products(
                arranged, bytes.baseAddress.map { unsafe $0 + 1 }, weights.count, Int32(bits), rows.count, scale,
                constant,
                &sums)
        }
        #expect(sums[rows.count].isNaN, "nothing is written behind the results")
        return Array(sums[..<rows.count])
    }

    private func packed(_ codes: [Int], _ bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (codes.count * bits + 7) / 8)
        for (index, code) in codes.enumerated() {
            for bit in 0..<bits where code >> bit & 1 == 1 {
                bytes[(index * bits + bit) / 8] |= 1 << ((index * bits + bit) % 8)
            }
        }
        return bytes
    }
}
