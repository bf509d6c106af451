internal import SealiteJSON

/// Writes the fields of a stored `SyncSpace`, `SyncRecord` or `SyncEvent`.
struct StateWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    mutating func number(_ number: UInt64) { Varint.append(number, to: &bytes) }

    /// Writes the length of some bytes, and the bytes.
    mutating func block(_ block: [UInt8]) {
        number(UInt64(block.count))
        bytes += block
    }

    mutating func text(_ text: String) { block(Array(text.utf8)) }
}
