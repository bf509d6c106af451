internal import Foundation
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The reason for which JSON can't express a value.
struct UnusableValue: Error {
    let reason: String
}
