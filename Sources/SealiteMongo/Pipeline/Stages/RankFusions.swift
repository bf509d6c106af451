internal import SealiteValues

extension StageKind {
    /// The stages `$rankFusion` and `$scoreFusion`, of which the second is known only where it is refused.
    static let fusions: [StageKind] = [
        .init("$rankFusion") { specification, parser in try RankFusionStage(specification, parser) }
    ]

    /// The stages that combine ranked pipelines, of which none can be in an input of another.
    static let hybrids: Set = ["$rankFusion", "$scoreFusion"]
    /// The stages whose rows are ranked from the best on.
    private static let ranked: Set = ["$vectorSearch", "$search", "$geoNear"]
    /// The stages that an input of `$rankFusion` may have: they select documents and don't change them.
    private static let selecting: Set = [
        "$match", "$sort", "$limit", "$skip", "$sample", "$vectorSearch", "$search", "$geoNear",
        "$_internalInhibitOptimization",
    ]

    /// Throws `MongoError` unless an input of `$rankFusion` selects documents and ranks them.
    static func checkRanking(_ stages: [BSON], named name: String) throws {
        try require(
            !stages.isEmpty, 9_834_300, "The pipeline '\(name)' of $rankFusion has no stages; it must rank documents.")
        let names = try stages.map { stage in
            let members = stage.members ?? [:]
            try require(members.count == 1, 40323, "A stage of a pipeline must have one member, not \(members.count).")
            return members.keys[0]
        }
        if let place = names.firstIndex(where: hybrids.contains) {
            throw MongoError(
                code: place == 0 ? 10_473_002 : 10_170_100,
                "\(names[place]) isn't allowed in the pipeline '\(name)' of $rankFusion.")
        }
        try require(
            ranked.contains(names[0]) || names.contains("$sort"), 9_191_100,
            "The pipeline '\(name)' of $rankFusion must begin with $vectorSearch or $geoNear, or contain $sort.")
        if let unknown = names.first(where: { StageKind.all[$0] == nil && !selecting.contains($0) }) {
            throw MongoError(code: 40324, "There is no stage '\(unknown)' of a pipeline.")
        }
        for (stage, item) in zip(names, stages) where !selecting.contains(stage) || changes(item) {
            throw MongoError(
                code: 9_191_103,
                "\(stage) isn't allowed in the pipeline '\(name)' of $rankFusion, whose stages must not change documents."
            )
        }
    }

    /// Returns a Boolean value that says whether a stage adds members to documents, as `$geoNear` does by options.
    private static func changes(_ stage: BSON) -> Bool {
        let options = stage.members?["$geoNear"]?.members
        return options?["distanceField"] != nil || options?["includeLocs"] != nil
    }
}

/// The stage `$rankFusion`, which runs pipelines over the collection and sorts the documents that they find by a score:
/// the sum of a weight divided by 60 and the rank in a pipeline, over all pipelines.
struct RankFusionStage: Stage {
    private struct Input: Sendable {
        let name: String
        let weight: Double
        let stages: [any Stage]
        /// The order of the last `$sort`, by which documents with equal values have the same rank; nil without one.
        let order: SortOrder?
    }

    /// The number that is added to each rank.
    private static let rankConstant = 60.0

    private let inputs: [Input]
    private let hasDetails: Bool

    init(_ specification: BSON, _ parser: PipelineParser) throws {
        let members = try Self.members(specification, "$rankFusion", ["input", "combination", "scoreDetails"], code: 9)
        let input = try Self.members(members["input"], "'input' of $rankFusion", ["pipelines"])
        let pipelines = try requireDocument(
            try Self.present(input["pipelines"], "pipelines"), 14, "$rankFusion takes an object as 'pipelines'")
        var weights: MongoDocument?
        if let combination = members["combination"], combination != .null {
            let given = try Self.members(combination, "'combination' of $rankFusion", ["weights"])
            weights = try requireDocument(
                try Self.present(given["weights"], "weights"), 14, "$rankFusion takes an object as 'weights'")
        }
        switch members["scoreDetails"] {
        case nil, .null?: hasDetails = false
        case .bool(let value)?: hasDetails = value
        case let other?:
            throw MongoError.typeMismatch("$rankFusion takes a boolean as 'scoreDetails', not \(other.type.alias).")
        }
        let lists = try pipelines.map { member in
            let items = try requireArray(member.value, 14, "$rankFusion takes arrays of stages in 'pipelines'")
            for item in items { _ = try requireDocument(item, 14, "$rankFusion takes objects as stages") }
            return (name: member.key, stages: items)
        }
        try require(!lists.isEmpty, .badValue("$rankFusion needs at least one pipeline in 'pipelines'."))
        let numbers = try Self.weights(weights ?? [:], of: lists.map(\.name))
        inputs = try zip(lists, numbers).map { list, weight in
            try ExpressionParser.checkMember(list.name)
            try StageKind.checkRanking(list.stages, named: list.name)
            let nested = try parser.nested(.array(list.stages), of: "$rankFusion")
            return Input(name: list.name, weight: weight, stages: nested, order: Self.order(list.stages))
        }
    }

    /// Returns the members of an object of the specification. Throws `MongoError` 14, or `code`, if it isn't an object,
    /// 40414 if it is missing, and 40415 for a member that isn't in `names`.
    private static func members(
        _ value: BSON?, _ subject: String, _ names: Set<String>, code: Int? = nil
    ) throws -> MongoDocument {
        let given = try code == nil ? present(value, subject) : value ?? .null
        let members = try requireDocument(given, code ?? 14, "\(subject) takes an object")
        if let unknown = members.keys.first(where: { !names.contains($0) }) {
            throw MongoError(code: 40415, "\(subject) doesn't know the member '\(unknown)'.")
        }
        return members
    }

    /// Returns a value that must be given; null counts as missing.
    private static func present(_ value: BSON?, _ name: String) throws -> BSON {
        guard let value, value != .null else { throw MongoError(code: 40414, "$rankFusion needs the member \(name).") }
        return value
    }

    /// Returns the weights of pipelines, in their order.
    private static func weights(_ given: MongoDocument, of names: [String]) throws -> [Double] {
        try require(
            given.count <= names.count, 9_460_301, "$rankFusion has more 'weights' than pipelines.")
        var weights: [[UInt8]: Double] = [:]
        for member in given {
            try require(
                names.contains { $0.utf8.elementsEqual(member.key.utf8) }, 9_967_500,
                "$rankFusion has a weight for '\(member.key)', but no pipeline of that name.")
            let number = try require(
                BSONNumber(member.value), 13118,
                "$rankFusion takes numbers as 'weights', not \(member.value.type.alias).")
            try require(number.double >= 0, 9_460_300, "$rankFusion takes no negative number and no NaN as a weight.")
            weights[Array(member.key.utf8)] = number.double
        }
        return names.map { weights[Array($0.utf8)] ?? 1 }
    }

    /// Returns the order of the last `$sort` of a pipeline, if no stage after it shuffles the documents.
    private static func order(_ stages: [BSON]) -> SortOrder? {
        for stage in stages.reversed() {
            guard let members = stage.members, members["$sample"] == nil else { return nil }
            if let sort = members["$sort"] {
                return try? SortOrder(sort, metadata: [.textScore, .score, .geoNearDistance])
            }
        }
        return nil
    }

    // MARK: - Running

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            var (source, rows) = (input, [Row]())
            let readsInput = inputs.contains { !($0.stages.first is VectorSearchStage) }
            while readsInput, let row = try source.next() {
                try run.memory.take(row.memoryByteCount, for: "$rankFusion")
                rows.append(row.shared)
            }
            return run.cursor(try fused(rows, run))
        }
    }

    private struct Found {
        let row: Row
        var score = 0.0
        /// The ranks in the inputs, in their order; nil where the document wasn't found.
        var ranks: [Int?]
    }

    private func fused(_ rows: [Row], _ run: PipelineRun) throws -> [Row] {
        var (found, places) = ([Found](), [BSONKey: Int]())
        for (index, input) in inputs.enumerated() {
            var output = try input.stages.open(run.cursor(rows), run)
            var (count, rank, last) = (0, 0, [BSON]?.none)
            while let row = try output.next() {
                count += 1
                let values = input.order?.values(of: row)
                let isTied =
                    try last.flatMap { last in
                        try values.map { try input.order?.compare(last, $0, run.work) == 0 }
                    } ?? false
                if !isTied { rank = count }
                last = values
                let key = BSONKey(row["_id"] ?? .null)
                let place = places[key] ?? found.count
                if place == found.count {
                    places[key] = place
                    try run.memory.take(row.memoryByteCount + 16 * inputs.count, for: "$rankFusion")
                    found.append(Found(row: row, ranks: Array(repeating: nil, count: inputs.count)))
                }
                guard found[place].ranks[index] == nil else { continue }
                found[place].ranks[index] = rank
                found[place].score += input.weight / (Self.rankConstant + Double(rank))
            }
        }
        try found.sort { left, right in
            guard left.score == right.score else { return left.score > right.score }
            return try run.work.compare(left.row["_id"], right.row["_id"]) < 0
        }
        return found.map(row)
    }

    /// Returns the row of a document with its score.
    private func row(_ found: Found) -> Row {
        var row = found.row
        var values: [MetadataField: BSON] = [.score: .double(found.score + 0)]
        if hasDetails {
            values[.scoreDetails] = [
                "value": .double(found.score),
                "description":
                    "The sum of weight / (60 + rank) over the pipelines that found the document.",
                "details": .array(zip(inputs, found.ranks).map { Self.details($0, $1) }),
            ]
        }
        row.metadata = RowMetadata(values)
        return row
    }

    private static func details(_ input: Input, _ rank: Int?) -> BSON {
        guard let rank else { return ["inputPipelineName": .string(input.name), "rank": "NA"] }
        return [
            "inputPipelineName": .string(input.name), "rank": BSON(rank), "weight": .double(input.weight),
            "details": .array([]),
        ]
    }

    var givenMetadata: Set<MetadataField> { hasDetails ? [.score, .scoreDetails] : [.score] }
}
