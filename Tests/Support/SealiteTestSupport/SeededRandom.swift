internal import Foundation

/// The seed from which the random numbers of a run of the tests begin.
///
/// It is 0 in every run, so that two runs do the same; in the soak (`SEALITE_SOAK=1`) it is drawn anew and printed. `SEALITE_SEED`
/// repeats a run whose seed was printed.
package enum TestSeed {
    package static let run: UInt64 = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["SEALITE_SEED"].flatMap(UInt64.init) { return seed }
        guard Effort.current == .soak else { return 0 }
        let drawn = UInt64.random(in: 0...UInt64.max)
        print("SEALITE_SEED=\(drawn) repeats the random numbers of this run")
        return drawn
    }()

    /// Seeds for the cases of a test, the run's first.
    package static func seeds(_ count: Int) -> [UInt64] { (0..<max(count, 0)).map { run &+ UInt64($0) } }
}

/// Random numbers that a seed repeats (SplitMix64, https://prng.di.unimi.it/splitmix64.c).
///
/// All numbers that decide what a test does come from here; `scripts/check-imports.sh` refuses others. Keys, and names of temporary
/// files, may come from the system.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    /// Repeats the numbers of a seed, the run's unless another is given.
    package init(seed: UInt64 = TestSeed.run) { (self.seed, state) = (seed, seed) }

    /// Repeats the numbers of the run's seed for one of several tests, or for one of a test's parts, which the number tells apart.
    package init(part: UInt64) { self.init(seed: TestSeed.run &+ part) }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, but not including, a bound.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        let words = (0..<(count + 7) / 8).map { _ in next() }
        return unsafe words.withUnsafeBytes { unsafe [UInt8](copying: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
