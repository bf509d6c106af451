internal import SealiteValues

/// The store of a collection that doesn't exist, for commands that only read: it has no documents and takes none.
struct MissingCollectionStore: DocumentStore {
    private static let error = MongoError(code: 26, "The collection doesn't exist.")

    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) {}

    func document(id: BSON) -> Row? { nil }

    func insert(_ document: MongoDocument) throws { throw Self.error }

    func replace(_ row: Row, with document: MongoDocument) throws { throw Self.error }

    func remove(id: BSON) {}

    func nested<Result>(_ body: () throws -> Result) throws -> Result { try body() }
}
