internal import Foundation
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The reason why a query can't contain a value: JSON can't express it.
struct UnusableValue: Error {
    let reason: String
}
