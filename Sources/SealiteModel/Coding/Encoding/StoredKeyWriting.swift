internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// A type whose values are links: each is stored as the primary key of another object.
protocol StoredKeyWriting {
    /// The primary key of the linked object, as it is stored.
    var storedKey: BSON { get }
}
