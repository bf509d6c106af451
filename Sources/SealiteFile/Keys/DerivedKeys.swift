import Synchronization

/// The owner of keys that were derived from a key ring, which `lock()` must reach.
protocol DerivedKeys: AnyObject {
    /// Wipes every derived key; later calls throw `locked`.
    func wipe()
}

/// The owners of keys derived from one key ring.
///
/// Not weak references, which would make every page slower: an owner takes itself out before it goes.
final class DerivedKeyTable: Sendable {
    // Sendable: used under the table's lock, which an owner's deinit waits for.
    private struct Entry: @unchecked Sendable {
        unowned(unsafe) let owner: any DerivedKeys
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func add(_ owner: any DerivedKeys) {
        let entry = Entry(owner: owner)
        entries.withLock { $0[ObjectIdentifier(owner)] = entry }
    }

    func remove(_ owner: any DerivedKeys) {
        let id = ObjectIdentifier(owner)
        entries.withLock { $0[id] = nil }
    }

    func wipeAll() {
        entries.withLock { entries in
            for entry in entries.values { unsafe entry.owner.wipe() }
        }
    }
}
