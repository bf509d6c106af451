/// The 32-byte header of a WAL, in SQLite's form and in that of a sealed log. `Documentation/FORMAT.md` §7.
///
/// The sealed form has another version number, so that SQLite without the encrypting VFS refuses the log. With SQLite's
/// own number it would find no valid frame and delete committed transactions when it closes.
package enum WALHeader {
    package static let byteCount = 32
    package static let frameHeaderByteCount = 24
    static let plainVersion: UInt32 = 3_007_000
    static let sealedVersion: UInt32 = 0x5365_616C  // "Seal"
    private static let version = 4
    private static let pageSize = 8
    private static let checksum = 24

    /// Converts a header that SQLite wrote to the sealed form.
    static func sealed(fromPlain header: [UInt8]) -> [UInt8] { replacingVersion(in: header, with: sealedVersion) }

    /// Converts a header on disk to the form that SQLite sees: 32 zeros, which SQLite reads as no header, unless the
    /// log is a sealed one of this page size.
    package static func plain(fromSealed header: [UInt8], pageSize: Int) throws(VFSFailure) -> [UInt8] {
        let stated = readUInt32(header, at: Self.pageSize)
        guard isSealed(header), Int(stated) == pageSize else { return [UInt8](repeating: 0, count: byteCount) }
        return replacingVersion(in: header, with: plainVersion)
    }

    /// Returns whether these bytes are a whole header of a sealed log.
    package static func isSealed(_ header: [UInt8]) -> Bool {
        header.count == byteCount && readUInt32(header, at: version) == sealedVersion
            && checksums(of: header) == (readUInt32(header, at: checksum), readUInt32(header, at: checksum + 4))
    }

    private static func replacingVersion(in header: [UInt8], with number: UInt32) -> [UInt8] {
        assert(header.count == byteCount)
        var bytes = header
        write(number, to: &bytes, at: version)
        let sums = checksums(of: bytes)
        write(sums.0, to: &bytes, at: checksum)
        write(sums.1, to: &bytes, at: checksum + 4)
        return bytes
    }

    /// Computes SQLite's checksum of the first 24 bytes, in the byte order that the magic number selects.
    private static func checksums(of header: [UInt8]) -> (UInt32, UInt32) {
        assert(header.count == byteCount)
        return WALChecksum.sums(header.prefix(checksum), from: (0, 0), bigEndian: header[3] & 1 == 1)
    }

    package static func readUInt32(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func write(_ value: UInt32, to bytes: inout [UInt8], at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(index))) }
    }
}

/// The running checksum of a WAL. https://sqlite.org/walformat.html#the_checksum_algorithm
package enum WALChecksum {
    /// Continues the checksum `start` over `bytes`, whose length is a multiple of 8, and returns the new checksum.
    package static func sums(
        _ bytes: ArraySlice<UInt8>, from start: (UInt32, UInt32), bigEndian: Bool
    ) -> (UInt32, UInt32) {
        unsafe bytes.withUnsafeBytes { unsafe sums($0, from: start, bigEndian: bigEndian) }
    }

    /// Continues the checksum `start` over `bytes`, whose length is a multiple of 8, and returns the new checksum.
    package static func sums(
        _ bytes: UnsafeRawBufferPointer, from start: (UInt32, UInt32), bigEndian: Bool
    ) -> (UInt32, UInt32) {
        assert(bytes.count.isMultiple(of: 8), "SQLite sums pairs of words")
        var (first, second) = start
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
            let left = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let right = unsafe bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first &+= (bigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
            second &+= (bigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
        }
        return (first, second)
    }
}
