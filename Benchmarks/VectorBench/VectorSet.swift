import Foundation

/// Vectors, searches, and the nearest vectors of each search, the same for the same seed.
struct VectorSet {
    enum Kind: String, CaseIterable {
        case hard, easy
    }

    static let dimensions = 384
    static let queryCount = 200
    static let nearestCount = 10

    let kind: Kind
    let count: Int
    /// The vectors, one after another.
    let floats: [Float]
    let queries: [[Float]]
    /// The numbers of the nearest vectors of each search.
    let nearest: [[Int]]

    init(_ kind: Kind, count: Int) {
        (self.kind, self.count) = (kind, count)
        var random = Normal(seed: 48)
        let latent = 48
        let projection = (0..<(latent * Self.dimensions)).map { _ in random.next() / Float(latent).squareRoot() }
        let clusters = kind == .hard ? 200 : 1_000
        let spread: Float = kind == .hard ? 1 : 0.15
        let centers = (0..<clusters).map { _ in (0..<latent).map { _ in random.next() } }
        func vector() -> [Float] {
            let center = centers[random.index(below: clusters)]
            let place = center.map { $0 + spread * random.next() }
            return (0..<Self.dimensions).map { dimension in
                var sum: Float = 0
                for index in 0..<latent { sum += place[index] * projection[index * Self.dimensions + dimension] }
                return sum + 0.02 * random.next()
            }
        }
        var floats: [Float] = []
        floats.reserveCapacity(count * Self.dimensions)
        for _ in 0..<count { floats += vector() }
        self.floats = floats
        queries = (0..<Self.queryCount).map { _ in vector() }
        nearest = queries.map { Self.nearest(to: $0, in: floats) }
    }

    /// Returns the numbers of the vectors with the least distances; `dimensions` is a multiple of 16.
    static func nearest(to query: [Float], in floats: [Float], dimensions: Int = dimensions) -> [Int] {
        var best: [(distance: Float, number: Int)] = []
        for number in 0..<(floats.count / dimensions) {
            var distance: Float = 0
            unsafe floats.withUnsafeBufferPointer { floats in
                unsafe query.withUnsafeBufferPointer { query in
                    var sums = SIMD16<Float>.zero
                    for start in stride(from: 0, to: dimensions, by: 16) {
                        let left = unsafe UnsafeRawPointer(
                            floats.baseAddress.unsafelyUnwrapped + number * dimensions + start
                        )
                        .loadUnaligned(as: SIMD16<Float>.self)
                        let right = unsafe UnsafeRawPointer(query.baseAddress.unsafelyUnwrapped + start).loadUnaligned(
                            as: SIMD16<Float>.self)
                        let difference = left - right
                        sums += difference * difference
                    }
                    distance = sums.sum()
                }
            }
            guard best.count < nearestCount || distance < best[nearestCount - 1].distance else { continue }
            best.append((distance, number))
            best.sort { $0.distance < $1.distance }
            if best.count > nearestCount { best.removeLast() }
        }
        return best.map(\.number)
    }

    func vector(_ number: Int) -> ArraySlice<Float> {
        floats[(number * Self.dimensions)..<((number + 1) * Self.dimensions)]
    }

    /// The base64 of float32, little-endian, as documents and parameters have it.
    static func text(_ vector: some Sequence<Float>) -> String { data(vector).base64EncodedString() }

    static func data(_ vector: some Sequence<Float>) -> Data {
        var data = Data()
        for float in vector {
            unsafe withUnsafeBytes(of: float.bitPattern.littleEndian) { unsafe data.append(contentsOf: $0) }
        }
        return data
    }

    /// Writes the vectors, the searches and the nearest for other programs.
    func write(to folder: String) throws {
        try Self.data(floats).write(to: URL(fileURLWithPath: "\(folder)/\(kind.rawValue).vectors"))
        try Self.data(queries.joined()).write(to: URL(fileURLWithPath: "\(folder)/\(kind.rawValue).queries"))
        let lines = nearest.map { $0.map(String.init).joined(separator: " ") }.joined(separator: "\n")
        try Data(lines.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(kind.rawValue).nearest"))
    }
}

/// Normally distributed numbers, the same for the same seed (SplitMix64 and the method of Box and Muller).
struct Normal {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func uniform() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ mixed >> 31) >> 11) * 0x1p-53
    }

    mutating func index(below limit: Int) -> Int { min(Int(uniform() * Double(limit)), limit - 1) }

    mutating func next() -> Float {
        Float((-2 * log(1 - uniform())).squareRoot() * cos(2 * Double.pi * uniform()))
    }
}
