import SealiteCrypto

/// The unencrypted 32 bytes at the start of a sealed rollback journal.
package struct JournalPreamble: Equatable {
    package var id: [UInt8]
    package var serial: UInt32

    package init(id: [UInt8], serial: UInt32) {
        self.id = id
        self.serial = serial
    }

    /// The result of reading the first 32 bytes of a journal file.
    package enum Reading: Equatable {
        /// Zeros, or an empty file: no journal.
        case none
        case whole(JournalPreamble)
        /// Any other content: torn, or not a sealed journal.
        case broken
    }

    package static func read(_ bytes: [UInt8]) -> Reading {
        if bytes.allSatisfy({ $0 == 0 }) { return .none }
        guard bytes.count == JournalLayout.preambleByteCount, bytes.starts(with: JournalLayout.magic) else {
            return .broken
        }
        let preamble = JournalPreamble(id: bytes.slice(8, 16), serial: bytes.readUInt32(at: 24))
        return (try? preamble.encoded()) == bytes ? .whole(preamble) : .broken
    }

    func encoded() throws(CryptoError) -> [UInt8] {
        assert(id.count == JournalLayout.idByteCount)
        let front = JournalLayout.magic + id + [UInt8].littleEndian(serial)
        return front + Array(try SHA256.digest(of: front)[0..<4])
    }
}
