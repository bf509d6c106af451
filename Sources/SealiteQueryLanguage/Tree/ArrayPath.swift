/// The path to the arrays whose elements an index contains: `contacts[].phones` leads to the phones of all contacts.
package struct ArrayPath: Sendable, Equatable, CustomStringConvertible {
    /// The path from a document to an array, the path from each of its elements to an array in it, and so on; at least one.
    package var levels: [Path]

    package init(_ levels: [Path]) { self.levels = levels }

    /// The path as text.
    package var description: String { levels.map { "\(Expression.path($0))" }.joined(separator: "[].") }
}
