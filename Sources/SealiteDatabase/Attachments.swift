internal import Synchronization

/// Objects of layers above that belong to one database: one of a type.
package final class Attachments: Sendable {
    private let objects = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    init() {}

    /// Returns the object of a type, which is made where there is none.
    package func object<Object: AnyObject & Sendable>(_ type: Object.Type, make: () -> Object) -> Object {
        objects.withLock { objects in
            if let found = objects[ObjectIdentifier(type)] as? Object { return found }
            let made = make()
            objects[ObjectIdentifier(type)] = made
            return made
        }
    }
}
