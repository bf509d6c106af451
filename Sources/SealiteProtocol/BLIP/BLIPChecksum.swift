import CZlib

/// The running checksum of one direction of a BLIP connection: CRC-32 (ISO-HDLC, zlib's) over all payloads before
/// compression.
package struct BLIPChecksum: Sendable, Hashable {
    /// The CRC-32 of all payloads added so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    /// Adds a payload to the checksum.
    package mutating func add(_ bytes: ArraySlice<UInt8>) {
        value = unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return value }
            let address = unsafe base.assumingMemoryBound(to: UInt8.self)
            return unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(value), address, buffer.count))
        }
    }

    /// Appends the checksum: four bytes, big-endian.
    package func append(to bytes: inout [UInt8]) {
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    /// Reads a checksum: four bytes, big-endian.
    static func read(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        assert(bytes.count == 4, "a checksum has four bytes")
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
