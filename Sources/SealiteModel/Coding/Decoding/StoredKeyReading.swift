internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A type whose values are links: each is stored as the primary key of another object.
protocol StoredKeyReading {
    /// Creates a link from a stored key; nil if the stored value isn't a key.
    init?(stored place: StoredElement)
}
