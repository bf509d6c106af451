/// A measure of how near two vectors are: a smaller distance is nearer. The raw values are stored in files.
package enum VectorMetric: String, Sendable, CaseIterable {
    /// The Euclidean distance.
    case euclidean
    /// The square of the Euclidean distance.
    case euclideanSquared = "euclidean2"
    /// One less the cosine of the angle between the vectors, from 0 to 2; 1 if one of them is zero.
    case cosine
    /// The negative scalar product.
    case dot

    /// Creates the metric of a name in queries, without regard to case: `euclidean` or `L2`; `euclidean_squared`,
    /// `euclidean2` or `L2_squared`; `cosine`; `dot`. nil for any other name.
    package init?(queryName: String) {
        switch queryName.lowercased() {
        case "euclidean", "l2": self = .euclidean
        case "euclidean_squared", "euclidean2", "l2_squared": self = .euclideanSquared
        case "cosine": self = .cosine
        case "dot": self = .dot
        default: return nil
        }
    }

    /// Returns the distance between two vectors with the same number of dimensions, which are finite.
    ///
    /// It is computed with the precision of Float; vectors whose products or squares a Float can't represent are
    /// computed with that of Double.
    package func distance(_ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>) -> Double {
        switch self {
        case .euclidean: unsafe VectorMath.squaredDistance(left, right).squareRoot()
        case .euclideanSquared: unsafe VectorMath.squaredDistance(left, right)
        case .cosine: unsafe 1 - Self.cosine(left, right)
        case .dot: unsafe -VectorMath.dot(left, right)
        }
    }

    /// A Boolean value that says whether the directions of vectors decide in which lists they are, not their lengths.
    package var isOfAngles: Bool { self == .cosine || self == .dot }

    /// Converts vectors to those by which lists are trained and chosen.
    ///
    /// - Parameters:
    ///   - vectors: vectors one after another.
    ///   - dimensions: the number of dimensions of each.
    /// - Returns: vectors of the length 1 for metrics of angles, where a vector of zeros stays as it is; the given ones for
    ///   other metrics.
    package func directions(of vectors: [Float], dimensions: Int) -> [Float] {
        var directions = vectors
        makeDirections(&directions, dimensions: dimensions)
        return directions
    }

    /// Converts vectors in their place to those that `directions` returns.
    package func makeDirections(_ vectors: inout [Float], dimensions: Int) {
        assert(dimensions > 0 && vectors.count % dimensions == 0)
        guard isOfAngles else { return }
        unsafe vectors.withUnsafeMutableBufferPointer { output in
            for start in stride(from: 0, to: output.count, by: dimensions) {
                unsafe VectorMath.normalize(
                    UnsafeMutableBufferPointer(rebasing: output[start..<(start + dimensions)]))
            }
        }
    }

    private static func cosine(_ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>) -> Double {
        let norms = unsafe VectorMath.squaredNorm(left).squareRoot() * VectorMath.squaredNorm(right).squareRoot()
        guard norms > 0 else { return 0 }
        return unsafe min(max(VectorMath.dot(left, right) / norms, -1), 1)
    }
}
