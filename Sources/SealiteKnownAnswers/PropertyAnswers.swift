import SealiteCrypto

/// Tests of functions for which nobody publishes vectors: the comparison of secrets, and random draws. The cases are
/// the project's own.
enum PropertyAnswers {
    /// The cases of the comparison of secrets, in the format of the published vectors.
    static let comparisonCases: StaticString = """
        source the project's own cases
        sha256 -
        # id expect first second
        equal success 000102030405060708090a0b0c0d0e0f 000102030405060708090a0b0c0d0e0f
        first_byte different 000102030405060708090a0b0c0d0e0f 010102030405060708090a0b0c0d0e0f
        last_byte different 000102030405060708090a0b0c0d0e0f 000102030405060708090a0b0c0d0e8f
        prefix different 000102030405060708090a0b0c0d0e0f 000102030405060708090a0b0c0d0e
        longer different 000102030405060708090a0b0c0d0e0f 000102030405060708090a0b0c0d0e0f00
        zeros different 00000000000000000000000000000000 000000000000000000000000000000
        empty success - -
        empty_and_zero different - 00
        """

    /// The cases of random draws, in the format of the published vectors: the number of bytes of a draw, and how many
    /// draws must differ.
    static let drawCases: StaticString = """
        source the project's own cases
        sha256 -
        # id expect byteCount draws
        nonce success 24 4096
        key success 32 4096
        longer_than_one_call success 70000 4
        """

    static func comparison(_ text: VectorText, _ tally: inout Tally) {
        tally.check(text) { vector in
            let areEqual = try vector.succeeds(or: "different")
            let first = try vector.secret("first")
            let second = try vector.secret("second")
            return first.isEqual(to: second) == areEqual && second.isEqual(to: first) == areEqual
        }
    }

    /// Draws random bytes, and checks two properties that a broken source of random numbers lacks: no two draws are
    /// equal, and about half of all bits are set. A sound source fails with a probability below 2^-90.
    static func randomDraws(_ text: VectorText, _ tally: inout Tally) {
        tally.checkSuccesses(text) { vector in
            let byteCount = try vector.number("byteCount")
            let count = try vector.number("draws")
            let plain = try (0..<count).map { _ in try SecureRandom.bytes(byteCount) }
            let secret = try (0..<count).map { _ in
                try unsafe SecretBytes.random(byteCount: byteCount).withUnsafeBytes { unsafe Array($0) }
            }
            let draws = plain + secret
            return Set(draws).count == draws.count && isBalanced(plain) && isBalanced(secret)
        }
    }

    /// Returns whether the number of set bits in all draws is within 12 standard deviations of half of all bits.
    private static func isBalanced(_ draws: [[UInt8]]) -> Bool {
        let bits = draws.reduce(0) { $0 + $1.count } * 8
        let ones = draws.reduce(0) { $0 + $1.reduce(0) { $0 + $1.nonzeroBitCount } }
        let distance = abs(2 * ones - bits)
        return Double(distance) <= 12 * Double(bits).squareRoot()
    }
}
