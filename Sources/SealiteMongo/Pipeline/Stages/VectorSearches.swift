internal import SealiteValues
internal import SealiteVectors

extension StageKind {
    /// The stage `$vectorSearch`, which finds the documents nearest to a vector.
    static let vectorSearches: [StageKind] = [
        .init("$vectorSearch") { specification, parser in
            try parser.refuse("$vectorSearch")
            let members = try StageMembers(
                specification, of: "$vectorSearch",
                ["index", "path", "queryVector", "limit", "numCandidates?", "exact?", "filter?"])
            return VectorSearchStage(
                search: try VectorSearchSpecification(members),
                filter: try members.document("filter").map { try MatchStage($0, parser.expressions) })
        }
    ]
}

/// The stage `$vectorSearch`, whose rows are the documents nearest to a vector, the nearest first.
struct VectorSearchStage: Stage {
    let search: VectorSearchSpecification
    /// The filter that the documents fulfil; nil for none.
    let filter: MatchStage?
    var givenMetadata: Set<MetadataField> { [.vectorSearchScore, .score] }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        guard let store = run.store as? any VectorSearchStore else {
            throw MongoError(
                code: 20, "$vectorSearch can be used only in a pipeline of MongoCollection.aggregate.")
        }
        return try store.nearest(search, where: try filter?.filter(run), run.work)
    }
}

/// A store that can search the pipeline's own collection for vectors.
protocol VectorSearchStore: PipelineStore {
    /// Returns the documents that a search finds among those that fulfil a filter, the nearest first, with their scores.
    func nearest(_ search: VectorSearchSpecification, where filter: Filter?, _ work: WorkMeter) throws -> RowCursor
}

/// What a `$vectorSearch` searches for.
struct VectorSearchSpecification: Sendable {
    /// The greatest number of documents that a search finds, and of candidates.
    private static let maximumCount = 10_000

    /// The name of the index.
    let index: String
    /// The names of the path that the index is over.
    let path: [String]
    /// The vector that documents are compared with.
    let vector: [Float]
    /// The number of documents to find.
    let limit: Int
    /// The number of entries of the index to consider; nil to compare all documents.
    let candidateCount: Int?

    init(_ members: StageMembers) throws {
        index = try members.string("index") ?? ""
        path = try FieldPath(try members.string("path") ?? "").names
        vector = try Self.vector(members["queryVector"] ?? .null)
        limit = try Self.count(members["limit"], "limit", from: 1)
        switch members["exact"] {
        case .bool(true)?: candidateCount = nil
        case .bool(false)?, nil:
            try require(
                members["numCandidates"] != nil, 9,
                "$vectorSearch needs 'numCandidates', or 'exact: true' to compare all documents.")
            candidateCount = try Self.count(members["numCandidates"], "numCandidates", from: limit)
        case let other?:
            throw MongoError.typeMismatch("$vectorSearch takes a boolean as 'exact', not \(other.type.alias).")
        }
    }

    private static func count(_ value: BSON?, _ name: String, from least: Int) throws -> Int {
        let count = value?.exactInt64.map { Int(clamping: $0) }
        guard let count, (least...maximumCount).contains(count) else {
            throw MongoError.failedToParse(
                "$vectorSearch takes an integer from \(least) to \(maximumCount) as '\(name)'.")
        }
        return count
    }

    private static func vector(_ value: BSON) throws -> [Float] {
        let floats: [Float]
        switch value {
        case .array(let items):
            floats = try items.map { item in
                let number = try require(
                    BSONNumber(item), 14,
                    "$vectorSearch takes numbers in 'queryVector'; an item is of the type \(item.type.alias).")
                return Float(number.double)
            }
        case .binary(let binary):
            let count =
                binary.subtype == VectorReader.vectorSubtype ? VectorReader.count(vector: binary.bytes.span) : nil
            let dimensions = try require(
                count, 9,
                "$vectorSearch takes a Binary as 'queryVector' only with a vector of float32 or int8: the subtype 9, and the bytes 27 00 or 03 00 first."
            )
            var vector = [Float](repeating: 0, count: dimensions)
            let isRead = unsafe vector.withUnsafeMutableBufferPointer {
                unsafe VectorReader.read(vector: binary.bytes.span, into: $0)
            }
            floats = isRead ? vector : [.nan]
        default:
            throw MongoError.typeMismatch(
                "$vectorSearch takes an array of numbers, or a Binary with a vector, as 'queryVector', not \(value.type.alias)."
            )
        }
        try require(
            floats.allSatisfy(\.isFinite), 9, "A number of 'queryVector' isn't finite, or too large for a float32.")
        return floats
    }
}
