/// The powers of ten that 128 bits can represent.
enum PowersOfTen {
    /// The greatest exponent of a power of ten that 128 bits can represent.
    static let maximum = 38

    private static let table: [UInt128] = {
        var table: [UInt128] = [1]
        for _ in 0..<maximum { table.append(table[table.count - 1] * 10) }
        return table
    }()

    /// Returns the power of ten with an exponent from 0 to 38.
    static func value(_ exponent: Int) -> UInt128 { table[exponent] }

    /// Returns the number of decimal digits of a number; 1 for zero.
    static func digitCount(of value: UInt128) -> Int {
        // 1233/4096 is slightly less than log₁₀ 2: the estimate is exact, or one too low.
        let estimate = ((UInt128.bitWidth - value.leadingZeroBitCount) * 1233) >> 12
        return max(value >= table[estimate] ? estimate + 1 : estimate, 1)
    }
}
