internal import Foundation
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The error for a value that JSON can't express, or a malformed key path, which a query can't contain, with the
/// reason.
struct UnusableValue: Error {
    let reason: String
}

extension Tree.Expression {
    /// Returns an expression in place of a part of a query, described by `part` (`a result`), that wasn't made by
    /// `maker`, the type of the query builder that makes such parts. It makes the translation of the query fail.
    static func foreign(_ part: String, _ maker: String) -> Tree.Expression {
        .literal(.unusable("\(part) of the query wasn't made by \(maker), but by another type"))
    }

    /// The reason why a query can't contain a part of the expression that was made by the query builder; nil if none is
    /// known.
    var unusableReason: String? {
        do {
            _ = try rewritten { part in
                switch part {
                case .literal(.unusable(let reason)): throw UnusableValue(reason: reason)
                case .path, .star, .meta: return part
                default: return nil
                }
            }
            return nil
        } catch {
            return (error as? UnusableValue)?.reason
        }
    }
}
