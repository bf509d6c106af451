internal import Synchronization

/// The form of the revision ids of a database's documents, which determines how the descent of one revision from
/// another is recognized.
public enum DocumentVersioning: String, Sendable, CaseIterable {
    /// Revision trees, as Couchbase Lite 3 and Sync Gateway 3 have them.
    case trees
    /// Version vectors, as Couchbase Lite 4 has them.
    case vectors
}

/// A container for objects of higher layers that belong to one database, at most one object for each type.
package final class Attachments: Sendable {
    private let objects = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    init() {}

    /// Returns the object of a type; if there is none, the one that `make` creates, which is kept.
    package func object<Object: AnyObject & Sendable>(_ type: Object.Type, make: () -> Object) -> Object {
        objects.withLock { objects in
            if let found = objects[ObjectIdentifier(type)] as? Object { return found }
            let made = make()
            objects[ObjectIdentifier(type)] = made
            return made
        }
    }
}
