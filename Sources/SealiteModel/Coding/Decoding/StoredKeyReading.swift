internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A type whose value is the key of an object.
protocol StoredKeyReading {
    /// Creates a reference from the key; nil if the stored value isn't a key.
    init?(stored place: StoredElement)
}
