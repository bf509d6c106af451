internal import SealiteValues

/// The documents that a `$text` finds, with their scores.
final class TextMatches: Sendable {
    private let scores: [BSONKey: Double]

    init(_ scores: [BSONKey: Double]) { self.scores = scores }

    /// The `_id`s of the documents.
    var ids: [BSON] { scores.keys.map(\.value) }

    func contains(_ id: BSON) -> Bool { scores[BSONKey(id)] != nil }

    /// Returns a row with its score as metadata.
    func scored(_ row: Row) -> Row {
        guard let score = scores[BSONKey(row["_id"] ?? .null)] else { return row }
        var row = row
        row.metadata = RowMetadata([.textScore: .double(score), .score: .double(score)])
        return row
    }
}

extension FilterTree {
    /// The `$text` of the tree; nil if it has none.
    var text: TextQuery? {
        switch self {
        case .text(let query): query
        case .all(let trees): trees.lazy.compactMap(\.text).first
        default: nil
        }
    }

    /// A Boolean value that says whether there is a `$text` at a place where it can't be searched for.
    var hasMisplacedText: Bool {
        switch self {
        case .all(let trees): trees.contains(where: \.hasMisplacedText)
        case .any(let trees): trees.contains { $0.text != nil || $0.hasMisplacedText }
        case .not(let tree): tree.text != nil || tree.hasMisplacedText
        default: false
        }
    }
}
