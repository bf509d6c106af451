/// A function that queries may call: its name, its kind and its number of arguments.
///
/// META, MATCH and RANK(index) are part of the grammar and therefore not in `table` (`FunctionTable.swift`).
package struct FunctionSignature: Sendable, Equatable {
    /// The kinds of functions.
    package enum Kind: Sendable {
        /// A function that returns one value for each row.
        case scalar
        /// A function that returns one value for each group; DISTINCT, FILTER and OVER are allowed.
        case aggregate
        /// A function that returns one value for each row of a window; OVER is required.
        case window
    }

    /// The function's name in upper case.
    package let name: String
    package let kind: Kind
    /// The smallest and the largest number of arguments that a call may have.
    package let arguments: ClosedRange<Int>

    init(_ name: String, _ arguments: ClosedRange<Int>, _ kind: Kind = .scalar) {
        self.name = name
        self.arguments = arguments
        self.kind = kind
    }

    /// Returns the function with a name, in upper or lower case; nil if there is none.
    package static func named(_ name: String) -> FunctionSignature? { byName[name.uppercased()] }

    /// Returns the name of the known function that is most similar to an unknown name; nil if none is close.
    static func nearestName(to name: String) -> String? { NearestName.to(name, among: table.lazy.map(\.name)) }

    private static let byName: [String: FunctionSignature] = Dictionary(
        uniqueKeysWithValues: table.map { ($0.name, $0) })
}
