internal import CVectors

/// Products and distances of two vectors with the same number of dimensions, at least one.
///
/// They are computed in Float; where that overflows or vanishes they are computed again in Double, which can represent
/// the sums of the products of any finite vectors.
package enum VectorMath {
    /// Returns the scalar product.
    package static func dot(_ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>) -> Double {
        unsafe computed(sealite_dot, left, right) { $0 * $1 }
    }

    /// Returns the square of the Euclidean distance.
    package static func squaredDistance(
        _ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>
    ) -> Double {
        unsafe computed(sealite_squared_distance, left, right) { ($0 - $1) * ($0 - $1) }
    }

    /// Returns the square of the Euclidean norm.
    package static func squaredNorm(_ vector: UnsafeBufferPointer<Float>) -> Double { unsafe dot(vector, vector) }

    /// Divides a vector by its Euclidean norm; a zero vector remains unchanged.
    package static func normalize(_ vector: UnsafeMutableBufferPointer<Float>) {
        let norm = unsafe squaredNorm(UnsafeBufferPointer(vector)).squareRoot()
        guard norm > 0 else { return }
        for index in vector.indices { unsafe vector[index] = Float(Double(vector[index]) / norm) }
    }

    private static func computed(
        _ kernel: (UnsafePointer<Float>?, UnsafePointer<Float>?, Int) -> Float, _ left: UnsafeBufferPointer<Float>,
        _ right: UnsafeBufferPointer<Float>, term: (Double, Double) -> Double
    ) -> Double {
        assert(left.count == right.count && !left.isEmpty)
        let sum = unsafe kernel(left.baseAddress, right.baseAddress, left.count)
        // Below this, terms that are no normal Floats may have been lost.
        guard !sum.isFinite || sum.magnitude < 0x1p-80 else { return Double(sum) }
        var exact = 0.0
        for index in left.indices { unsafe exact += term(Double(left[index]), Double(right[index])) }
        return exact
    }
}
