internal import Glibc

/// Offsets and sizes of the header region. `Documentation/FORMAT.md` §4 and §5.
package enum HeaderLayout {
    package static let copyByteCount = 4096
    package static let regionByteCount = 8192
    package static let reservedByteCount = 48
    package static let slotCount = 12
    package static let slotByteCount = 256
    package static let labelByteCount = 32
    package static let formatVersion: UInt32 = 1
    package static let cipherXAES256GCM: UInt32 = 1

    static let magic: [UInt8] = Array("Sealite".utf8) + [0]
    static let plainMagic: [UInt8] = Array("SQLite format 3".utf8) + [0]

    static let version = 8
    static let pageSize = 12
    static let databaseID = 16
    static let masterID = 32
    static let generation = 48
    static let freshness = 56
    static let cipher = 64
    static let epoch = 68
    static let rotationState = 72
    static let previousEpoch = 76
    static let previousMasterID = 80
    static let zeroA = 96..<112
    static let epochRecord = 112
    static let previousEpochRecord = 192
    static let epochRecordByteCount = 80
    static let bridge = 272
    static let bridgeByteCount = 72
    static let zeroB = 344..<384
    static let slots = 384
    static let zeroC = 3456..<3936
    static let applicationKey = 3936
    static let authenticationCode = 4008
    static let zeroD = 4040..<4072
    static let checksum = 4072
    static let checksumByteCount = 24
}

/// Little-endian reads and writes in the byte arrays of the header, with the bounds checks of `Array`.
extension [UInt8] {
    package func readUInt32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2]) << 16
            | UInt32(self[offset + 3]) << 24
    }

    package func readUInt64(at offset: Int) -> UInt64 {
        UInt64(readUInt32(at: offset)) | UInt64(readUInt32(at: offset + 4)) << 32
    }

    package mutating func write(_ value: some FixedWidthInteger, at offset: Int) {
        write([UInt8].littleEndian(value), at: offset)
    }

    package mutating func write(_ bytes: [UInt8], at offset: Int) {
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    package func slice(_ offset: Int, _ count: Int) -> [UInt8] { Array(self[offset..<offset + count]) }

    /// Returns whether all bytes of a range are zeros.
    func isZero(_ range: Range<Int>) -> Bool {
        guard let first = range.first else { return true }
        // The bytes are compared by address, without the bounds checks of an array.
        precondition(range.upperBound <= count, "the range lies in the array")
        return unsafe withUnsafeBytes { bytes in
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            // The first is zero, and the others equal those before them.
            guard let start = bytes.baseAddress else { return true }
            return unsafe self[first] == 0 && memcmp(start, start + 1, range.count - 1) == 0
        }
    }

    /// Returns whether two arrays have the same bytes. Uses memcmp, because every opening of a connection compares
    /// headers of 4 KiB, and `==` compares byte by byte.
    func hasSameBytes(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, count) == 0
            }
        }
    }

    package static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
