internal import Foundation
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The error for a value that a query can't contain because JSON can't express it, with the reason.
struct UnusableValue: Error {
    let reason: String
}
