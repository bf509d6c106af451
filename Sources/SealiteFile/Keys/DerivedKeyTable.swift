import Synchronization

/// The objects that own keys derived from one key ring, so that all these keys can be wiped at once.
///
/// Weak references would slow down every page, so owners unregister themselves before they are freed.
final class DerivedKeyTable: Sendable {
    // Sendable: used under the table's lock, and an owner's deinit waits for that lock.
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
