internal import Foundation
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The error for a value that JSON can't express, or a malformed key path, which a query can't contain, with the
/// reason.
struct UnusableValue: Error {
    let reason: String
}
