/// A literal value of a query.
package enum Literal: Sendable, Equatable {
    case missing
    case null
    case boolean(Bool)
    /// A number as JSON text, so that no digit is lost.
    case number(String)
    case string(String)
    /// A value passed to the query builder that queries can't contain, with the reason. It has no textual form.
    case unusable(String)

    /// An integer.
    package static func integer(_ value: Int64) -> Literal { .number(String(value)) }

    /// A Boolean value that says whether the value is a number without fraction and exponent.
    package var isInteger: Bool {
        guard case .number(let text) = self else { return false }
        return text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) }
    }
}
