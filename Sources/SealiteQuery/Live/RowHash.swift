/// A 128-bit hash with keys that the process draws at random, so that stored values can't be chosen to make two results
/// count as equal.
struct RowHash: Sendable, Hashable {
    let first: UInt64
    let second: UInt64
}
