extension VectorQuery {
    /// A Boolean value that says whether few entries of usual vectors have a least distance below that of the nearest ones:
    /// codes with fewer bits than 8 tell too little.
    package var hasNarrowBounds: Bool { codec.encoding == .none || codec.encoding == .sq8 }

    /// Writes what the exact distances of the first `count` entries of a chunk are at least to the start of `out`: no entry has a
    /// smaller `VectorMetric.distance`. Negative infinity stands for entries of which nothing is known.
    ///
    /// By the triangle inequality it is the distance of the coded vector less the error of its code, and less what rounding makes.
    package func leastDistances(
        _ chunk: UnsafeRawBufferPointer, count: Int, to out: UnsafeMutableBufferPointer<Float>
    ) {
        unsafe computeTerms(chunk, count, out)
        let length = Double(norm).squareRoot()
        for place in 0..<count {
            let least = unsafe least(Double(out[place]), codec.norm(at: place, in: chunk), length)
            unsafe out[place] = least.isFinite ? Float(least).nextDown : -.infinity
        }
    }

    /// The part of a sum that its rounding, and that of an exact comparison, changes at most: both add up to 4,096 terms in 32 or
    /// more lanes of Float.
    private static let rounding = 0x1p-14

    /// Returns the least distance of an entry with a term from `computeTerms`. `length` is that of the vector that is searched for.
    private func least(_ term: Double, _ entry: EntryNorm, _ length: Double) -> Double {
        if isOfDifferences {
            return distance(ofSquare: term * (1 - Self.rounding))
        }
        let isCoded = codec.encoding != .none
        let square = Double(entry.square(hasError: isCoded))
        let error = isCoded ? Double(entry.error(unit: codec.ranges.errorUnit)) : 0
        let product = term + weightError + Self.rounding * (length * square.squareRoot() + abs(constant))
        switch codec.metric {
        case .euclidean, .euclideanSquared:
            let squares = Double(norm) + square
            let coded = max(squares * (1 - Self.rounding) - 2 * product, 0).squareRoot()
            let least = max(coded * (1 - Self.rounding) - error, 0)
            return distance(ofSquare: least * least)
        case .cosine: return 1 - (product + error * (1 + Self.rounding)) - Self.rounding
        case .dot: return -(product + error * length * (1 + Self.rounding))
        }
    }

    private func distance(ofSquare square: Double) -> Double {
        codec.metric == .euclidean ? square.squareRoot() : square
    }
}
