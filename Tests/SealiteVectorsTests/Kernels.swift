import CVectors
import SealiteTestSupport
import SealiteVectors
import Synchronization
import Testing

/// The implementations of the kernels, of which a process uses one at a time.
enum Kernels {
    private static let lock = Mutex(())

    /// Runs a test with the portable kernels and, if the processor has AVX2, with those for it. Meanwhile no other such
    /// test changes the choice.
    static func each(_ body: (_ name: String) throws -> Void) rethrows {
        try lock.withLock { _ in
            defer { _ = sealite_use_kernels(sealite_kernels_avx2) }
            for kind in [sealite_kernels_portable, sealite_kernels_avx2] where sealite_use_kernels(kind) == kind {
                try body(kind == sealite_kernels_portable ? "portable" : "AVX2")
            }
        }
    }
}

extension SeededRandom {
    /// Returns a number from −1 to below 1.
    mutating func float() -> Float { Float(Int64(bitPattern: next()) >> 40) / Float(1 << 23) }

    mutating func vector(_ count: Int) -> [Float] { (0..<count).map { _ in float() } }
}

extension Array where Element == Float {
    /// The scalar product in Double.
    func exactDot(_ other: [Float]) -> Double { zip(self, other).reduce(0) { $0 + Double($1.0) * Double($1.1) } }

    /// The squared Euclidean distance in Double.
    func exactDistance(_ other: [Float]) -> Double {
        zip(self, other).reduce(0) { $0 + (Double($1.0) - Double($1.1)) * (Double($1.0) - Double($1.1)) }
    }

    var normalized: [Float] {
        let norm = exactDot(self).squareRoot()
        return norm > 0 ? map { Float(Double($0) / norm) } : self
    }
}

extension VectorMetric {
    /// The distance by the definition.
    func exact(_ left: [Float], _ right: [Float]) -> Double {
        switch self {
        case .euclidean: left.exactDistance(right).squareRoot()
        case .euclideanSquared: left.exactDistance(right)
        case .cosine: 1 - left.exactDot(right) / (left.exactDot(left) * right.exactDot(right)).squareRoot()
        case .dot: -left.exactDot(right)
        }
    }

    func distance(_ left: [Float], _ right: [Float]) -> Double {
        unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in unsafe distance(left, right) }
        }
    }
}
