extension IndexKind {
    /// Returns the definition of an index of this kind from the text by which the catalogue of indexes stores it; nil
    /// if this program doesn't know the definition.
    func form(stored: String) -> IndexForm? {
        switch self {
        case .value, .array, .multikey:
            guard let definition = try? KeyDefinition(stored: stored), definition.kind == self else { return nil }
            return .keys(definition)
        case .text: return (try? TextDefinition(stored: stored)).map { .text($0) }
        }
    }
}

/// The definition of an index, in the type that definitions of its kind have.
package enum IndexForm: Sendable {
    /// The definition of an index of the kind `value`, `array` or `multikey`.
    case keys(KeyDefinition)
    /// The definition of an index of the kind `text`.
    case text(TextDefinition)

    /// Returns the tables of an index of this definition.
    func table(number: Int64, collection: Int) -> any IndexTable {
        switch self {
        case .keys(let definition): KeyTable(number: number, collection: collection, definition)
        case .text(let definition): TextTable(number: number, collection: collection, definition)
        }
    }
}

/// The definition of an index, from which the content of its tables follows.
package protocol IndexDefinition: Sendable {
    var kind: IndexKind { get }
    /// The definition with its type, by which the program selects the tables.
    var form: IndexForm { get }
    /// The source text of the definition, for the caller that created the index; nil if it gave none.
    var source: String? { get }
    /// Returns the text by which the catalogue of indexes stores the definition.
    func stored() throws -> String
    /// The parts of the program, such as the layout of keys, on which every index of the kind depends.
    var ownComponents: Set<IndexComponent> { get }
}
