internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// A type whose values are keys of objects.
protocol StoredKeyWriting {
    /// The key in its stored form.
    var storedKey: BSON { get }
}
