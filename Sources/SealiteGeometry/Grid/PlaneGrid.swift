internal import Glibc

/// The grid of an index on pairs of coordinates: a square of the plane, divided into quarters again and again.
package struct PlaneGrid: Sendable {
    /// The least coordinate.
    package let low: Double
    /// The greatest coordinate.
    package let high: Double

    package init(low: Double, high: Double) { (self.low, self.high) = (low, high) }

    /// The number of times that the square is divided.
    private static let levelCount = 31

    /// Returns a Boolean value that says whether the index can have a pair of coordinates.
    package func contains(_ x: Double, _ y: Double) -> Bool { x >= low && x <= high && y >= low && y <= high }

    private func number(_ coordinate: Double) -> UInt64 {
        let count = Double(UInt64(1) << UInt64(Self.levelCount))
        return UInt64(min(max((coordinate - low) / (high - low) * count, 0), count - 1))
    }

    /// Returns the identifier of the smallest cell that contains a pair of coordinates.
    package func cell(_ x: Double, _ y: Double) -> UInt64 {
        Self.interleaved(number(x)) << 1 | Self.interleaved(number(y))
    }

    /// Returns the lower 32 bits of a number with a zero before each.
    static func interleaved(_ number: UInt64) -> UInt64 {
        var bits = number & 0xFFFF_FFFF
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// Returns the ranges of identifiers of at most `count` cells that cover a rectangle.
    package func cover(_ box: PlaneBox, count: Int) -> [ClosedRange<UInt64>] {
        guard box.meets(PlaneBox((low, low), (high, high))) else { return [] }
        let (lowX, lowY) = (number(box.low.x), number(box.low.y))
        let (highX, highY) = (number(box.high.x), number(box.high.y))
        var level = 0
        // The cells of a level that the rectangle meets are a rectangle too.
        while level < Self.levelCount {
            let shift = UInt64(Self.levelCount - level - 1)
            let (columns, rows) = ((highX >> shift) - (lowX >> shift) + 1, (highY >> shift) - (lowY >> shift) + 1)
            guard columns <= UInt64(count), rows <= UInt64(count), columns * rows <= UInt64(count) else { break }
            level += 1
        }
        let shift = UInt64(Self.levelCount - level)
        var ranges: [ClosedRange<UInt64>] = []
        for x in (lowX >> shift)...(highX >> shift) {
            for y in (lowY >> shift)...(highY >> shift) {
                let first = (Self.interleaved(x) << 1 | Self.interleaved(y)) << (2 * shift)
                ranges.append(first...first + ((1 << (2 * shift)) - 1))
            }
        }
        return ClosedRange.merged(ranges)
    }
}
