import SealiteCrypto
import Synchronization

/// The databases unlocked in this process, found by database id instead of path.
enum KeyRegistry {
    fileprivate struct Entry: Sendable {
        weak let ring: KeyRing?
    }

    private static let handleNumbers = Atomic<Int>(0)

    /// The URI parameter that contains the number of the handle whose keys a connection uses.
    static let handleParameter = "sealite_handle"

    static func nextHandleNumber() -> Int { handleNumbers.add(1, ordering: .relaxed).newValue }

    /// Weak references to the key rings, each with the keys of one handle, by database id. Those to the rings of
    /// released handles stay until a later addition removes them.
    struct Entries: Sendable {
        fileprivate var byID: [[UInt8]: [Entry]] = [:]
        /// The number of database ids above which the entries of closed databases are removed: twice the number that
        /// the last removal left, so that adding stays cheap and a process that opens many databases one after the
        /// other doesn't keep an entry of each.
        private var bound = 16

        /// The number of database ids, including those of closed databases.
        var count: Int { byID.count }

        mutating func add(_ ring: KeyRing) {
            assert(ring.databaseID.count == 16)
            let others = (byID[ring.databaseID] ?? []).filter { $0.ring != nil }
            byID[ring.databaseID] = others + [Entry(ring: ring)]
            guard byID.count > bound else { return }
            byID = byID.filter { $0.value.contains { $0.ring != nil } }
            bound = max(16, 2 * byID.count)
        }

        func rings(for databaseID: [UInt8]) -> [KeyRing] { (byID[databaseID] ?? []).compactMap(\.ring) }
    }

    private static let entries = Mutex(Entries())

    static func add(_ ring: KeyRing) { entries.withLock { $0.add(ring) } }

    /// Returns the keys of the handle on a database that was unlocked last and isn't locked; nil if there is none, or if
    /// several copies of the database are unlocked, which can have different keys and slots.
    static func ring(for databaseID: [UInt8]) -> KeyRing? {
        let unlocked = entries.withLock { $0.rings(for: databaseID) }.filter { !$0.isLocked }
        guard let last = unlocked.last,
            unlocked.allSatisfy({ $0.path == last.path || FilePermissions.isSameFile($0.path, last.path) })
        else { return nil }
        return last
    }

    /// Returns the keys for the file at a path with a header, which a connection opens: those of the handle with the
    /// number `handle` or, if it is nil, those of a handle that isn't locked; nil if there is none.
    ///
    /// Several copies of a database, which have one database id, may be unlocked at the same time. Since each copy can
    /// have got other keys, a handle that unlocked this file is preferred, then one that knows this header, then one
    /// with its master key, and of several handles the one that was unlocked last.
    static func ring(for content: HeaderContent, path: String, handle: Int?) -> KeyRing? {
        let rings = entries.withLock { $0.rings(for: content.databaseID) }
        if let handle { return rings.first { $0.handleNumber == handle } }
        let unlocked = rings.filter { !$0.isLocked }
        guard unlocked.count > 1 else { return unlocked.last }
        return unlocked.last { FilePermissions.isSameFile($0.path, path) } ?? unlocked.last { $0.content == content }
            ?? unlocked.last { $0.content.masterID == content.masterID } ?? unlocked.last
    }

    /// The key rings of the unlocked databases, one for each database id.
    private static var unlockedRings: [KeyRing] {
        entries.withLock { entries in
            entries.byID.values.compactMap { $0.last { $0.ring?.isLocked == false }?.ring }
        }
    }

    /// The number of unlocked databases.
    static var unlockedCount: Int { unlockedRings.count }

    /// The keys of the only unlocked database; nil if there is none or more than one.
    static var onlyRing: KeyRing? {
        let rings = unlockedRings
        return rings.count == 1 ? rings.first.flatMap { ring(for: $0.databaseID) } : nil
    }
}

extension KeySlot {
    /// Returns the slot in the form for a copy of the database, which has the same master key under another database
    /// id. Only slots of kind `recovery` depend on the id.
    func moved(
        from oldID: [UInt8], to newID: [UInt8], master: MasterKey
    ) throws(CryptoError) -> KeySlot {
        assert(oldID != newID, "a copy of a database has an id of its own")
        switch kind {
        case .passphrase, .rawKey: return self
        case .recovery:
            var slot = self
            let secret = try RecoverySecret(in: self, under: master, databaseID: oldID)
            try SlotOpening.seal(master, to: &slot, with: secret, databaseID: newID)
            assert(slot.headerBytes == headerBytes, "a moved slot keeps its id, label and public key")
            return slot
        }
    }
}

/// Decodes hex digits; returns no bytes if the text isn't valid hex.
package func hexBytes(_ text: String) -> [UInt8] { Hexadecimal.bytes(of: text) ?? [] }

extension [UInt8] {
    /// The bytes as lower-case hex digits.
    package var hex: String { Hexadecimal.text(of: self) }
}
