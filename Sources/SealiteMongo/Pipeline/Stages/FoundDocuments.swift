internal import SealiteValues

/// The documents that `$lookup` or `$graphLookup` found for a row.
struct FoundDocuments {
    /// The documents as an array.
    let array: BSON
    /// The remainder of the limits on the size of a value, without the size of the documents.
    private let room: ValueSizeLimit

    /// Creates the documents that were found; throws `MongoError` if they are too large in total.
    init(_ documents: [BSON]) throws {
        array = .array(documents)
        var room = ValueSizeLimit()
        try room.add(array)
        self.room = room
    }

    /// Returns a row with the documents as the member at a path.
    ///
    /// - Throws: `MongoError` if the row becomes too large.
    func added(to row: Row, at path: [String]) throws -> Row {
        var document = row.document
        var rest = room
        try rest.add(.document(document))
        document.set(array, at: path[...])
        return Row(document)
    }
}
