import Foundation

/// Random numbers that a failing run can be repeated with: `SEALITE_SEED` in the environment sets the seed.
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init() {
        let chosen = ProcessInfo.processInfo.environment["SEALITE_SEED"].flatMap(UInt64.init)
        seed = chosen ?? UInt64.random(in: 0...UInt64.max)
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
