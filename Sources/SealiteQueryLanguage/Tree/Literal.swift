/// A literal value of a query.
package enum Literal: Sendable, Equatable {
    case missing
    case null
    case boolean(Bool)
    /// A number as JSON text, so that no digit is lost.
    case number(String)
    case string(String)
    /// A value or a key path that was passed to the query builder and that a query can't contain, with the reason.
    /// SQL++ has no text for it.
    case unusable(String)

    /// Returns the literal of an integer.
    package static func integer(_ value: Int64) -> Literal { .number(String(value)) }

    /// A Boolean value that says whether the literal is a number written without fraction and exponent.
    package var isInteger: Bool {
        guard case .number(let text) = self else { return false }
        return text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) }
    }
}
