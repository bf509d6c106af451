internal import SealiteValues

/// The field of a document's metadata that `{"$meta": name}` gives: a value that the stage or the filter that found the document knows, and
/// that isn't a member of the document.
enum MetadataField: String, Sendable {
    case textScore, vectorSearchScore, score, scoreDetails, geoNearDistance, geoNearPoint, randVal
    // No stage gives these.
    case recordId, indexKey, sortKey, searchScore, searchScoreDetails, searchHighlights, searchSequenceToken, stream
    case searchRootDocumentId, timeseriesBucketMinTime, timeseriesBucketMaxTime

    /// The fields that are refused where the documents don't have them; other fields are missing there.
    private static let checked: Set<MetadataField> = [
        .textScore, .score, .scoreDetails, .geoNearDistance, .geoNearPoint,
    ]
    /// The fields by which documents can be sorted.
    private static let sortable: Set<MetadataField> = [
        .textScore, .vectorSearchScore, .score, .geoNearDistance, .randVal, .searchScore,
    ]

    /// Creates the field that the operand of `$meta` in an expression names. `available` are the fields that the
    /// documents have.
    ///
    /// - Throws: `MongoError` 17307 for an operand that isn't a string, 17308 for an unknown name, 40218 for a field that
    ///   the documents must have and don't.
    init(_ operand: BSON, available: Set<MetadataField>) throws {
        let name = try requireString(operand, 17307, "$meta takes a string")
        self = try require(Self(rawValue: name), 17308, "There is no metadata '\(name)' of documents.")
        try check(available)
    }

    /// Creates the field by which `{"$meta": name}` sorts.
    ///
    /// - Throws: `MongoError` 31138 for an operand that isn't the name of a field to sort by, 40218 for a field that the
    ///   documents must have and don't.
    init(ofSort operand: BSON, available: Set<MetadataField>) throws {
        let field = operand.text.flatMap { Self(rawValue: $0) }.flatMap { Self.sortable.contains($0) ? $0 : nil }
        self = try require(field, 31138, "A sort takes the name of a score, of a distance or 'randVal' as '$meta'.")
        try check(available)
    }

    private func check(_ available: Set<MetadataField>) throws {
        try require(
            available.contains(self) || !Self.checked.contains(self), 40218,
            "'\(rawValue)' isn't available here: a stage or a filter that gives it must come first, and no stage before this "
                + "one may make other documents, as $group does.")
    }
}

/// The values of `$meta` of one document.
final class RowMetadata: Sendable {
    private let values: [MetadataField: BSON]

    init(_ values: [MetadataField: BSON]) { self.values = values }

    subscript(field: MetadataField) -> BSON? { values[field] }
}

extension Row {
    /// Returns the value of a field of the row's metadata; nil if it is missing.
    func metadata(_ field: MetadataField) -> BSON? { metadata?[field] }
}
