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
        let known = entries.withLock { $0.updateValue(entry, forKey: ObjectIdentifier(owner)) }
        assert(known == nil, "an owner registers once, and unregisters before it is freed")
    }

    func remove(_ owner: any DerivedKeys) {
        let id = ObjectIdentifier(owner)
        let known = entries.withLock { $0.removeValue(forKey: id) }
        assert(known != nil, "an owner unregisters once")
    }

    func wipeAll() {
        entries.withLock { entries in
            for entry in entries.values { unsafe entry.owner.wipe() }
        }
    }
}
