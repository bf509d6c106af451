/// The ranges of values, one for each dimension, that codes divide into steps. A value is the least value plus its code
/// times the step; values outside of the range have the nearest code.
package struct VectorRanges: Sendable, Equatable {
    /// The least value of each dimension.
    let least: [Float]
    /// The size of a step in each dimension, at least 0; 0 where all values of the sample are equal.
    let step: [Float]
    /// 1 / `step`, or 0 where the step is 0 or too small for its inverse to be finite.
    let inverse: [Float]
    /// The unit in which entries store the errors of their codes.
    let errorUnit: Float

    /// The ranges of `VectorCoding.none`: there are none.
    package static let none = VectorRanges(least: [], step: [])

    private init(least: [Float], step: [Float]) {
        assert(least.count == step.count)
        (self.least, self.step) = (least, step)
        inverse = step.map { $0 > 0 && (1 / $0).isFinite ? 1 / $0 : 0 }
        errorUnit = EntryNorm.errorUnit(steps: step)
    }

    /// Creates the ranges from the least to the greatest value of each dimension in a sample.
    ///
    /// - Parameters:
    ///   - sample: vectors one after another, normalised ones for cosine; ranges of an empty sample contain only 0.
    ///   - dimensions: the number of dimensions.
    ///   - steps: `VectorCoding.steps`; without any the ranges are `none`.
    package init(sample: UnsafeBufferPointer<Float>, dimensions: Int, steps: Int) {
        assert(dimensions > 0 && sample.count % dimensions == 0)
        guard steps > 0 else {
            self = .none
            return
        }
        var least = [Float](repeating: 0, count: dimensions)
        var greatest = least
        for dimension in 0..<min(dimensions, sample.count) {
            unsafe least[dimension] = sample[dimension]
            unsafe greatest[dimension] = sample[dimension]
        }
        for start in stride(from: 0, to: sample.count, by: dimensions) {
            for dimension in 0..<dimensions {
                unsafe least[dimension] = min(least[dimension], sample[start + dimension])
                unsafe greatest[dimension] = max(greatest[dimension], sample[start + dimension])
            }
        }
        // In Double, since the difference of two Floats may be too large for a Float.
        let step = zip(least, greatest).map { Float((Double($1) - Double($0)) / Double(steps)) }
        self.init(least: least, step: step)
    }

    /// Creates ranges from the bytes that `stored` returned; nil if these have another length, or contain a value that
    /// isn't finite or a negative step.
    package init?(stored: borrowing Span<UInt8>, dimensions: Int) {
        guard stored.count == dimensions * 8 else { return nil }
        var values: [Float] = []
        values.reserveCapacity(dimensions * 2)
        for offset in stride(from: 0, to: stored.count, by: 4) {
            var bits: UInt32 = 0
            for index in 0..<4 { bits |= UInt32(stored[offset + index]) << UInt32(8 * index) }
            values.append(Float(bitPattern: bits))
        }
        guard values.allSatisfy(\.isFinite), values[dimensions...].allSatisfy({ $0 >= 0 }) else { return nil }
        self.init(least: Array(values[..<dimensions]), step: Array(values[dimensions...]))
    }

    /// Creates the ranges of an encoding from the bytes that `stored` returned; nil if they aren't such ranges.
    package init?(stored: borrowing Span<UInt8>, _ encoding: VectorCoding, dimensions: Int) {
        if encoding == .none {
            guard stored.isEmpty else { return nil }
            self = .none
        } else {
            self.init(stored: stored, dimensions: dimensions)
        }
    }

    /// The ranges as bytes: the least values of all dimensions, then the steps, as little-endian Float32.
    package var stored: [UInt8] { VectorReader.bytes(of: least + step) }
}
