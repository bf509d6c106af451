internal import SealiteCrypto

/// Random numbers of the kernel for the masks of WebSocket frames, all drawn in one system call: with thousands of
/// small messages, one system call for each would cost more than the masking. No number is kept for later frames, so
/// that a fork or a copy of a virtual machine doesn't repeat them.
struct DrawnNumbers: RandomNumberGenerator {
    private var bytes: ArraySlice<UInt8>

    /// Draws `count` numbers; further ones are drawn singly.
    init(count: Int) {
        bytes = count > 0 ? ((try? SecureRandom.bytes(count * 8)) ?? [])[...] : []
    }

    mutating func next() -> UInt64 {
        guard bytes.count >= 8 else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        defer { bytes = bytes.dropFirst(8) }
        return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
