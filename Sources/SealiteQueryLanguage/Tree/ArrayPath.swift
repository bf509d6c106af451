/// The path to the arrays whose elements an index contains: `contacts[].phones` leads to the phones of all contacts.
package struct ArrayPath: Sendable, Equatable, CustomStringConvertible {
    /// The paths to the arrays, at least one: the first one leads from a document to an array, each further one from an
    /// element of the previous array to an array in this element.
    package var levels: [Path]

    package init(_ levels: [Path]) { self.levels = levels }

    /// The path as SQL++ text, such as `contacts[].phones`.
    package var description: String { levels.map { "\(Expression.path($0))" }.joined(separator: "[].") }
}
