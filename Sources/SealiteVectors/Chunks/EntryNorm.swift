/// The square of a coded vector's length as an entry has it: a Float32, whose lowest 8 bits an encoding with codes replaces by the
/// error of the code, so that a search can tell which entries may be nearer than what it has found.
///
/// The error is the length of the difference between the vector and the one that its code represents. It is stored in 64ths of
/// the greatest error of a vector within the ranges, rounded up; 255 stands for a greater one.
struct EntryNorm {
    private static let errorMask: UInt32 = 0xFF
    private static let partCount: Float = 64

    /// The stored form.
    let bits: UInt32

    init(bits: UInt32) { self.bits = bits }

    /// Creates the norm of an entry without codes.
    init(_ square: Float) { bits = square.bitPattern }

    /// Creates the norm of an entry with a code.
    ///
    /// - Parameters:
    ///   - square: the square of the length of the vector that the code represents.
    ///   - squaredError: the square of the length of the difference, computed in Float.
    ///   - unit: `VectorRanges.errorUnit`.
    init(_ square: Float, squaredError: Float, unit: Float) {
        // The rounding of the vector to Floats, and of the sums.
        let error = squaredError.squareRoot() * 1.001 + square.squareRoot() * 0x1p-20
        let parts = (error / unit).rounded(.up)
        let stored = parts < Float(Self.errorMask) ? UInt32(parts) : Self.errorMask
        bits = Self.rounded(square) | stored
    }

    private static func rounded(_ square: Float) -> UInt32 {
        // Infinity stays what it is: its lowest bits are 0.
        (square.bitPattern + (square.isFinite ? (errorMask + 1) / 2 : 0)) & ~errorMask
    }

    /// The square of the length of the vector that the code represents.
    func square(hasError: Bool) -> Float { Float(bitPattern: hasError ? bits & ~Self.errorMask : bits) }

    /// The greatest length that the difference can have; infinite if it isn't known.
    func error(unit: Float) -> Float {
        let stored = bits & Self.errorMask
        return stored == Self.errorMask ? .infinity : Float(stored) * unit
    }

    /// Returns the unit of errors for codes with these steps.
    static func errorUnit(steps: [Float]) -> Float {
        let squares = steps.reduce(0.0) { $0 + Double($1) * Double($1) }
        return Float(squares.squareRoot() / 2) / partCount
    }
}
