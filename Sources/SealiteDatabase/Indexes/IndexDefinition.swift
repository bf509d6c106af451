/// The definition of an index, from which the content of its tables follows.
package protocol IndexDefinition: Sendable {
    /// The kind of the index, as the catalogue of indexes stores it: `value`, `array`, `multikey` or `text`.
    var kind: String { get }
    /// The source text of the definition, for the caller that created the index; nil if it gave none.
    var source: String? { get }
    /// Returns the text by which the catalogue of indexes stores the definition.
    func stored() throws -> String
    /// The parts of the program, such as the layout of keys, on which every index of the kind depends.
    var ownComponents: Set<IndexComponent> { get }
}

extension IndexDefinition {
    /// Returns the tables of an index of this definition; nil for a definition of a kind that this program doesn't
    /// maintain.
    func table(number: Int64, collection: Int) -> (any IndexTable)? {
        switch self {
        case let definition as KeyDefinition: KeyTable(number: number, collection: collection, definition)
        case let definition as TextDefinition: TextTable(number: number, collection: collection, definition)
        default: nil
        }
    }
}
