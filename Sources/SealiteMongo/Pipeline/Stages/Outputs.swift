internal import SealiteJSON
internal import SealiteValues

extension StageKind {
    /// The stages `$out` and `$merge`, which write rows to a collection.
    static let outputs: [StageKind] = [
        .init("$out") { specification, parser in
            try parser.refuse("$out")
            let target = try OutputTarget(ofOut: specification)
            return FunctionStage { input, run in
                .deferred {
                    let store = try target.store(run.openStore(for: "$out"))
                    try store.replace(target.collection, with: input)
                    return RowCursor([])
                }
            }
        },
        .init("$merge") { specification, parser in
            try parser.refuse("$merge")
            let (target, merge) = try MergeSpecification.parsed(specification)
            return FunctionStage { input, run in
                .deferred {
                    let store = try target.store(run.openStore(for: "$merge"))
                    try store.merge(input, into: merge)
                    return RowCursor([])
                }
            }
        },
    ]
}

/// The collection to which `$out` or `$merge` writes.
struct OutputTarget: Sendable {
    /// The name of the collection.
    let collection: String
    /// The name of the scope, which the stages call a database; nil for that of the pipeline's collection.
    private let scope: String?

    /// The names of databases that servers have for themselves.
    private static let reserved: Set = ["admin", "config", "local"]
    /// The greatest length of a collection's name in bytes.
    private static let maximumByteCount = 255

    private init(_ collection: String, scope: String?) { (self.collection, self.scope) = (collection, scope) }

    /// Returns the store that writes to the target's scope; `own` is that of the pipeline.
    func store(_ own: any PipelineStore) throws -> any PipelineStore {
        guard let scope else { return own }
        return try require(
            own.store(ofScope: scope), 20, "The pipeline can't write to the scope '\(scope)', only to its own one.")
    }

    /// Throws `MongoError` 73 if a text can't be the name of a collection.
    static func check(collection name: String, _ stage: String) throws {
        try require(
            !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(0), 73,
            "\(stage) takes a name of a collection that isn't empty, and has no dot at its start and no NUL character.")
    }

    private static func check(scope name: String, _ stage: String, reservedCode: Int) throws {
        try require(
            !name.isEmpty && name.utf8.count < 64 && !name.contains { "/\\. \"$\0".contains($0) }, 73,
            "\(stage) takes the name of a scope as 'db'.")
        try require(!reserved.contains(name), reservedCode, "\(stage) can't write to '\(name)'.")
    }

    // MARK: - $out

    /// Creates the target that the specification of `$out` names.
    init(ofOut specification: BSON) throws {
        if case .string(let name) = specification {
            self.init(name, scope: nil)
        } else {
            let members = try requireDocument(specification, 16990, "$out takes the name of a collection or an object")
            for key in members.keys {
                try require(
                    ["db", "coll", "timeseries"].contains(key), 40415, "$out doesn't know the member '\(key)'.")
                try require(members.keys.count { $0 == key } == 1, 40413, "$out has the member '\(key)' twice.")
            }
            func text(_ name: String) throws -> String {
                guard let value = members[name], value != .null else {
                    throw MongoError(code: 40414, "$out needs the member '\(name)'.")
                }
                return try requireString(value, 14, "$out takes a string as '\(name)'")
            }
            let (scope, collection) = (try text("db"), try text("coll"))
            try Self.check(scope: scope, "$out", reservedCode: 31321)
            self.init(collection, scope: scope)
            if let series = members["timeseries"], series != .null { try TimeSeriesOptions.refuse(series) }
        }
        try Self.check(collection: collection, "$out")
        try require(!collection.hasPrefix("system."), 17385, "$out can't write to a collection of the system.")
        try require(
            !collection.hasPrefix("$") && collection.utf8.count <= Self.maximumByteCount, 20,
            "$out takes a name without '$' at its start, of at most \(Self.maximumByteCount) bytes.")
    }

    // MARK: - $merge

    /// Creates the target that the specification of `$merge`, or its member `into`, names.
    init(ofMerge value: BSON, isWhole: Bool) throws {
        if case .document(let members) = value {
            for key in members.keys where !["db", "coll"].contains(key) {
                throw MongoError(code: 40415, "'into' of $merge doesn't know the member '\(key)'.")
            }
            var scope: String?
            if let given = members["db"], given != .null {
                let name = try requireString(given, 14, "'into' of $merge takes a string as 'db'")
                if !name.isEmpty {
                    try Self.check(scope: name, "$merge", reservedCode: 31320)
                    scope = name
                }
            }
            guard let given = members["coll"], given != .null else {
                throw MongoError(code: 5_786_801, "'into' of $merge needs a 'coll'.")
            }
            let name = try requireString(given, 14, "'into' of $merge takes a string as 'coll'")
            try require(!name.isEmpty, 5_786_800, "'into' of $merge takes a 'coll' that isn't empty.")
            self.init(name, scope: scope)
        } else {
            let name = try requireString(
                value, isWhole ? 14 : 51178, "$merge takes the name of a collection or an object")
            try require(isWhole || !name.isEmpty, 5_786_800, "$merge takes an 'into' that isn't empty.")
            self.init(name, scope: nil)
        }
        try Self.check(collection: collection, "$merge")
        try require(!collection.hasPrefix("system."), 31319, "$merge can't write to a collection of the system.")
    }
}

/// The options of time series in `$out`, which are checked although there are no time series.
private enum TimeSeriesOptions {
    private static let longestSpan = 31_536_000

    /// Throws the `MongoError` of invalid options, or else the one that says that there are no time series.
    static func refuse(_ value: BSON) throws -> Never {
        let members = try requireDocument(value, 14, "$out takes an object as 'timeseries'")
        let names = ["timeField", "metaField", "granularity", "bucketMaxSpanSeconds", "bucketRoundingSeconds"]
        for key in members.keys {
            try require(names.contains(key), 40415, "'timeseries' of $out doesn't know the member '\(key)'.")
        }
        // Null stands for a missing member.
        let given = { (name: String) -> BSON? in members[name] == .null ? Optional.none : members[name] }
        for name in ["timeField", "metaField", "granularity"] {
            _ = try given(name).map { try requireString($0, 14, "'timeseries' of $out takes a string as '\(name)'") }
        }
        let spans = try ["bucketMaxSpanSeconds", "bucketRoundingSeconds"].map { name in
            try given(name).map { value in
                let number = try requireNumber(value, 14, "'timeseries' of $out takes a number as '\(name)'")
                let span = value.isNotANumber ? 0 : value.truncatedInt64 ?? (number.isNegative ? 0 : .max)
                try require(
                    (1...Int64(longestSpan)).contains(span), 2, "'\(name)' of $out must be from 1 to \(longestSpan).")
                return span
            }
        }
        if let granularity = given("granularity")?.text {
            try require(
                ["seconds", "minutes", "hours"].contains(granularity), 2,
                "'timeseries' of $out takes 'seconds', 'minutes' or 'hours' as 'granularity'.")
        }
        try require(given("timeField") != nil, 40414, "'timeseries' of $out needs a 'timeField'.")
        try require(
            spans[0] == spans[1] && (spans[0] == nil || given("granularity") == nil), 72,
            "'timeseries' of $out takes both lengths of buckets, which must be equal, without a 'granularity'.")
        throw MongoError(code: 238, "$out can't make a time series collection; leave 'timeseries' out.")
    }
}

extension MergeSpecification {
    /// The stages that the pipeline of `whenMatched` may have.
    private static let replacing: Set = [
        "$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith", "$fill",
    ]

    /// Returns the target and the actions of the specification of a `$merge`.
    static func parsed(_ specification: BSON) throws -> (OutputTarget, MergeSpecification) {
        guard case .document = specification else {
            let target = try OutputTarget(ofMerge: specification, isWhole: true)
            return (
                target,
                self.init(collection: target.collection, on: ["_id"], whenMatched: .merge, whenNotMatched: .insert)
            )
        }
        let names = ["into", "on?", "whenMatched?", "whenNotMatched?", "let?"]
        let members = try StageMembers(specification, of: "$merge", names)
        let target = try OutputTarget(ofMerge: members["into"] ?? .null, isWhole: false)
        var variables: MongoDocument?
        if let given = members["let"], given != .null {
            variables = try requireDocument(given, 14, "$merge takes an object as 'let'")
        }
        let merge = self.init(
            collection: target.collection, on: try paths(members["on"]),
            whenMatched: try matched(members["whenMatched"], variables),
            whenNotMatched: try notMatched(members["whenNotMatched"]))
        switch (merge.whenMatched, merge.whenNotMatched) {
        case (.keepExisting, .discard), (.keepExisting, .fail), (.fail, .discard), (.fail, .fail):
            throw MongoError(code: 51181, "$merge would write nothing with this 'whenMatched' and 'whenNotMatched'.")
        default: return (target, merge)
        }
    }

    private static func paths(_ value: BSON?) throws -> [String] {
        let items: [BSON]
        switch value {
        case nil: items = ["_id"]
        case .string?: items = [value ?? .null]
        case .array(let given)?: items = given
        case let other?:
            throw MongoError(code: 51186, "$merge takes a path or an array of paths as 'on', not \(other.type.alias).")
        }
        try require(!items.isEmpty, 51187, "$merge takes at least one path in 'on'.")
        let paths = try items.map { item in
            let path = try require(item.text, 51134, "$merge takes strings, which are paths, in 'on'.")
            return try FieldPath(path).text
        }
        let distinct = Set(paths.map { ExactText($0) })
        try require(distinct.count == paths.count, 31465, "$merge takes each path in 'on' once.")
        return paths
    }

    private static func matched(_ value: BSON?, _ variables: MongoDocument?) throws -> Matched {
        if case .array(let stages)? = value {
            for stage in stages {
                let name = try requireDocument(stage, 14, "$merge takes an array of stages as 'whenMatched'").keys.first
                try require(
                    name == nil || StageKind.all[name ?? ""] == nil || replacing.contains(name ?? ""), 72,
                    "\(name ?? "") isn't allowed in 'whenMatched' of $merge, whose stages replace a document.")
            }
            var all: MongoDocument = ["new": "$$ROOT"]
            for variable in variables ?? [:] {
                try require(
                    variable.key != "new" || variable.value == "$$ROOT", 51273,
                    "'let' of $merge can't give $$new another value than the document.")
                all[variable.key] = variable.value
            }
            // The variables are evaluated with the merged document.
            return .pipeline(try Pipeline(parsingValues: stages, variables: all))
        }
        try require(variables == nil, 51199, "$merge takes 'let' only with a pipeline as 'whenMatched'.")
        switch value {
        case nil, "merge"?: return .merge
        case "replace"?: return .replace
        case "keepExisting"?: return .keepExisting
        case "fail"?: return .fail
        case .string?:
            throw MongoError.badValue(
                "$merge takes 'merge', 'replace', 'keepExisting', 'fail' or a pipeline as 'whenMatched'.")
        case let other?:
            throw MongoError(
                code: 51191, "$merge takes a string or an array as 'whenMatched', not \(other.type.alias).")
        }
    }

    private static func notMatched(_ value: BSON?) throws -> NotMatched {
        guard let value, value != .null else { return .insert }
        switch try requireString(value, 14, "$merge takes a string as 'whenNotMatched'") {
        case "insert": return .insert
        case "discard": return .discard
        case "fail": return .fail
        default: throw MongoError.badValue("$merge takes 'insert', 'discard' or 'fail' as 'whenNotMatched'.")
        }
    }
}
