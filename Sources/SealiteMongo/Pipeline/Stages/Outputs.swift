internal import SealiteValues

extension StageKind {
    /// The stages `$out` and `$merge`, which write rows to a collection.
    static let outputs: [StageKind] = [
        .init("$out") { specification, parser in
            try require(!parser.isNested, 40600, "$out isn't allowed in a pipeline inside of another stage.")
            let collection: String?
            if case .string(let name) = specification {
                collection = name
            } else {
                collection = try StageMembers(specification, of: "$out", ["coll"]).string("coll")
            }
            guard let collection, !collection.isEmpty else {
                throw MongoError(code: 16990, "$out takes a nonempty name of a collection.")
            }
            return FunctionStage { input, run in
                .deferred {
                    try run.openStore(for: "$out").replace(collection, with: input)
                    return RowCursor([])
                }
            }
        },
        .init("$merge") { specification, parser in
            try require(!parser.isNested, 40600, "$merge isn't allowed in a pipeline inside of another stage.")
            let merge = try MergeSpecification(specification)
            return FunctionStage { input, run in
                .deferred {
                    try run.openStore(for: "$merge").merge(input, into: merge)
                    return RowCursor([])
                }
            }
        },
    ]
}

extension MergeSpecification {
    init(_ specification: BSON) throws {
        guard case .document = specification else {
            let name = try requireString(specification, 51182, "$merge takes a string or an object")
            self.init(collection: name, on: ["_id"], whenMatched: .merge, whenNotMatched: .insert)
            return
        }
        let names = ["into", "on?", "whenMatched?", "whenNotMatched?", "let?"]
        let members = try StageMembers(specification, of: "$merge", names)
        self.init(
            collection: try Self.collection(members), on: try Self.paths(members["on"]),
            whenMatched: try Self.matched(members["whenMatched"], try members.document("let")),
            whenNotMatched: try Self.notMatched(members))
    }

    private static func collection(_ members: StageMembers) throws -> String {
        if case .document? = members["into"] {
            return try StageMembers(members["into"] ?? .null, of: "$merge", ["coll"]).string("coll") ?? ""
        }
        return try members.string("into") ?? ""
    }

    private static func paths(_ value: BSON?) throws -> [String] {
        let items = if case .array(let items) = value { items } else { [value ?? "_id"] }
        try require(!items.isEmpty, 51187, "$merge takes at least one path in 'on'.")
        return try items.map { item in
            let path = try require(item.text, 51134, "$merge takes strings, which are paths, in 'on'.")
            return try FieldPath(path).text
        }
    }

    private static func matched(_ value: BSON?, _ variables: MongoDocument?) throws -> Matched {
        switch value {
        case nil, .string("merge"): return .merge
        case .string("replace"): return .replace
        case .string("keepExisting"): return .keepExisting
        case .string("fail"): return .fail
        case .array(let stages):
            // The variables are evaluated with the merged document.
            return .pipeline(try Pipeline(parsingValues: stages, variables: variables ?? ["new": "$$ROOT"]))
        default:
            throw MongoError(
                code: 51191,
                "$merge takes 'merge', 'replace', 'keepExisting', 'fail' or a pipeline as 'whenMatched'.")
        }
    }

    private static func notMatched(_ members: StageMembers) throws -> NotMatched {
        switch try members.string("whenNotMatched") {
        case nil, "insert": return .insert
        case "discard": return .discard
        case "fail": return .fail
        default:
            throw MongoError(code: 51190, "$merge takes 'insert', 'discard' or 'fail' as 'whenNotMatched'.")
        }
    }
}
