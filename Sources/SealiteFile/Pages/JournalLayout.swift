import SealiteCrypto

/// The sealed rollback journal's layout. `Documentation/FORMAT.md` §8.
package enum JournalLayout {
    package static let preambleByteCount = 32
    package static let unitByteCount = 4096
    package static let payloadByteCount = 4000
    package static let textByteCount = 4048
    static let unitHeaderByteCount = 48
    static let idByteCount = 16
    /// The journal's magic number. Its first byte is 0, so that SQLite without the encrypting VFS takes the journal for
    /// a finished one.
    static let magic: [UInt8] = [0] + Array("SealJn1".utf8)

    package static func offset(ofUnit index: Int) -> Int64 {
        assert(index >= 0, "units are counted from 0")
        return Int64(unitByteCount) * Int64(1 + index)
    }

    /// Returns the number of whole units, the encrypted 4096-byte blocks of a sealed journal, in a file of this size.
    /// The first 4096 bytes hold the preamble and no unit.
    package static func unitCount(fileByteCount: Int64) -> Int {
        max(0, Int(fileByteCount / Int64(unitByteCount)) - 1)
    }
}
