internal import Synchronization

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
