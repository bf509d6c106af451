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
