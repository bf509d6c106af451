internal import SealiteValues

/// The documents of a collection that doesn't exist: none.
struct MissingCollection: DocumentSource {
    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) {}

    func document(id: BSON) -> Row? { nil }
}
