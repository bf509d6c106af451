internal import SealiteJSON
internal import SealiteValues

/// A set of numbers from 0 on, one bit for each.
struct SmallNumberSet {
    private var low: UInt64 = 0
    /// The bits for the numbers from 64 on, 64 numbers in each word.
    private var high: [UInt64]

    init(count: Int) { high = count > 64 ? [UInt64](repeating: 0, count: (count - 1) / 64) : [] }

    @inline(__always)
    mutating func insert(_ place: Int) {
        if place < 64 { low |= 1 << place } else { high[place / 64 - 1] |= 1 << (place % 64) }
    }

    @inline(__always)
    func contains(_ place: Int) -> Bool {
        (place < 64 ? low >> place : high[place / 64 - 1] >> (place % 64)) & 1 == 1
    }
}
