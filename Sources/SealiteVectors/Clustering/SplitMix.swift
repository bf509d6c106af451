/// The SplitMix64 generator: the same numbers for the same seed, on every machine and in every version.
package struct SplitMix {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `limit`, which is positive.
    package mutating func index(below limit: Int) -> Int {
        assert(limit > 0)
        return Int(next().multipliedFullWidth(by: UInt64(limit)).high)
    }

    /// Returns a number from 0 to below 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
