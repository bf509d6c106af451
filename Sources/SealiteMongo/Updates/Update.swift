internal import SealiteJSON
public import SealiteValues

/// A parsed update: operators such as `{"$set": {"a": 1}}`, a replacement, or a pipeline.
public struct Update: Sendable {
    enum Kind: Sendable {
        case operators(UpdateNode)
        case replacement(MongoDocument)
        case pipeline(UpdatePipeline)
    }

    let kind: Kind
    let filters: ArrayFilters
    /// The members of a document to which operators apply, if each can be changed independently; otherwise nil.
    let independentMembers: [UpdateNode.Member]?
    let now: DateTime

    /// Creates the update that a document or, for a pipeline, an array of stages specifies.
    ///
    /// - Parameters:
    ///   - update: the document or the array.
    ///   - arrayFilters: the filters to which `$[name]` in paths refers. With a replacement they must be valid, and
    ///     are otherwise ignored, as in MongoDB.
    ///   - context: the variables of expressions, and the time.
    /// - Throws: `MongoError` for an unknown operator, an invalid operand, two operators on one path, an array filter
    ///   that the operators miss or don't use, or array filters with a pipeline.
    public init(parsing update: BSON, arrayFilters: [BSON] = [], context: FilterContext = FilterContext()) throws {
        now = context.now
        filters = try ArrayFilters(arrayFilters, context)
        switch update {
        case .document(let document) where document.keys.first?.hasPrefix("$") ?? false:
            var parser = UpdateParser()
            kind = .operators(try parser.parse(document, context))
            try filters.check(parser.paths)
        case .document(let document):
            if let name = document.keys.first(where: { $0.hasPrefix("$") }) {
                throw MongoError(code: 52, "A replacement can't have the field '\(name)', whose name begins with '$'.")
            }
            kind = .replacement(document)
        case .array(let stages):
            try require(arrayFilters.isEmpty, .failedToParse("A pipeline of an update takes no 'arrayFilters'."))
            kind = .pipeline(try UpdatePipeline(stages, context))
        default:
            throw MongoError.failedToParse("An update is an object of operators, a document, or an array of stages.")
        }
        independentMembers = kind.independentMembers
    }

    /// A Boolean value that says whether the update replaces the whole document.
    var isReplacement: Bool { if case .replacement = kind { true } else { false } }

    private var hasOperators: Bool { if case .operators = kind { true } else { false } }

    /// Returns the updated document; its `_id` is unchanged and is the first member.
    ///
    /// - Parameters:
    ///   - document: the document before the update.
    ///   - position: the index in an array at which the filter found its value, for `$`.
    ///   - isInsertion: true for a document that the update inserts, whose `_id` may still be missing.
    /// - Returns: the document after the update.
    /// - Throws: `MongoError` if an operator can't be applied to a value of the document.
    func apply(to document: MongoDocument, position: Int? = nil, isInsertion: Bool = false) throws -> MongoDocument {
        var changed: MongoDocument
        switch kind {
        case .replacement(let replacement): changed = replacement
        case .pipeline(let pipeline): changed = try pipeline.apply(to: document)
        case .operators(let node):
            var situation = UpdateSituation(position: position, isInsertion: isInsertion, now: now)
            situation.moved = try MovedValues.collect(node, in: document)
            var value: BSON? = .document(document)
            try UpdateApplication(situation: situation, filters: filters).apply(node, to: &value, at: "")
            guard case .document(let result)? = value else { return document }
            changed = result
        }
        try keepID(of: document, in: &changed)
        return changed
    }

    /// Makes the `_id` of a document the first member of the changed document; throws `MongoError` 66 if the change
    /// gave it another `_id`, or operators removed it.
    private func keepID(of document: MongoDocument, in changed: inout MongoDocument) throws {
        guard let id = document["_id"] else {
            if let id = changed["_id"] { changed.putFirst("_id", id) }
            return
        }
        let isKept = changed["_id"].map { $0.isSame(as: id) } ?? !hasOperators
        try require(isKept, 66, "The '_id' of a document can't be changed.")
        changed.putFirst("_id", id)
    }
}

extension MongoDocument {
    /// Sets a member and moves it to the front of the document.
    mutating func putFirst(_ key: String, _ value: BSON) {
        if members.first?.key == key {
            self[key] = value
        } else {
            self[key] = nil
            insert(key, value, at: 0)
        }
    }
}

extension Update {
    /// Returns the document that an upsert inserts if no document fulfils a filter; its first member is the `_id`.
    ///
    /// - Throws: `MongoError` if the filter has two values for one path, the update can't be applied, or the `_id`
    ///   isn't allowed.
    func insertion(for filter: MongoDocument) throws -> MongoDocument {
        let seed = try UpsertSeed.document(of: filter, onlyID: isReplacement)
        if let id = seed["_id"] { try DocumentID.check(id) }
        var document = try apply(to: seed, isInsertion: true)
        let id = document["_id"] ?? .objectID(ObjectID())
        try DocumentID.check(id)
        document.putFirst("_id", id)
        return document
    }
}

/// An update by the stages of a pipeline.
struct UpdatePipeline: Sendable {
    /// The names of the stages that are allowed in an update.
    private static let stages = ["$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith"]

    private let pipeline: Pipeline
    private let options: PipelineOptions

    init(_ stages: [BSON], _ context: FilterContext) throws {
        let stages = try stages.map { stage in
            guard case .document(let document) = stage, let name = document.keys.first, document.count == 1 else {
                throw MongoError(code: 40323, "A stage of an update's pipeline must be an object with one member.")
            }
            try require(Self.stages.contains(name), 72, "The pipeline of an update can't have the stage \(name).")
            return document
        }
        pipeline = try Pipeline(parsing: stages, variables: context.variables)
        options = PipelineOptions(now: context.now)
    }

    /// Returns the document that the stages produce from a document.
    func apply(to document: MongoDocument) throws -> MongoDocument {
        var rows = try pipeline.rows(from: RowCursor([Row(document)]), options: options)
        guard let row = try rows.next() else { return document }
        return row.document
    }
}

/// The initial document of an upsert, which the update then changes: it has the members that the filter requires to be
/// equal to a value.
struct UpsertSeed {
    private var values: [(path: [String], value: BSON)] = []

    /// Returns the initial document for a filter. `onlyID` is true for a replacement, for which the document has the
    /// `_id` only.
    ///
    /// - Throws: `MongoError` if the filter has two values for one path.
    static func document(of filter: MongoDocument, onlyID: Bool) throws -> MongoDocument {
        var seed = UpsertSeed()
        try seed.collect(filter, depth: 0)
        var document = MongoDocument()
        for (path, value) in seed.values where !onlyID || path == ["_id"] {
            document.set(value, at: path[...])
        }
        if let id = document["_id"] { document.putFirst("_id", id) }
        return document
    }

    // MARK: - Filters

    private mutating func collect(_ filter: MongoDocument, depth: Int) throws {
        try require(
            depth < FilterParser.maximumDepth,
            .badValue("A filter is nested more than \(FilterParser.maximumDepth) levels deep."))
        for member in filter {
            switch (member.key, member.value) {
            case ("$and", .array(let items)):
                for case .document(let document) in items { try collect(document, depth: depth + 1) }
            case ("$or", .array(let items)):
                guard items.count == 1, case .document(let document) = items[0] else { continue }
                try collect(document, depth: depth + 1)
            case (let name, _) where name.hasPrefix("$"): continue
            case (let path, .document(let operators)) where operators.isOperators:
                for condition in operators { try add(condition, at: path) }
            case (_, .regex): continue
            case (let path, let value): try add(value, at: path)
            }
        }
    }

    private mutating func add(_ condition: MongoDocument.Member, at path: String) throws {
        switch (condition.key, condition.value) {
        case ("$eq", let value): try add(value, at: path)
        case ("$in", .array(let items)) where items.count == 1:
            if case .regex = items[0] { return }
            try add(items[0], at: path)
        case ("$all", .array(let items)):
            for item in items {
                switch item {
                case .regex: continue
                case .document(let document) where document.isOperators: continue
                default: try add(item, at: path)
                }
            }
        default: break
        }
    }

    private mutating func add(_ value: BSON, at path: String) throws {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try require(
            !values.contains(where: { value in
                zip(value.path, names).allSatisfy { ExactText.areSame($0, $1) }
            }), 54,
            "The filter of an upsert gives '\(path)' two values.")
        values.append((names, value))
    }
}

/// The rules for values of `_id`.
enum DocumentID {
    /// Throws `MongoError` if a value can't be an `_id`.
    static func check(_ id: BSON) throws(MongoError) {
        switch id {
        case .array, .regex, .undefined:
            throw MongoError(code: 53, "A value of the type \(id.type.alias) can't be an '_id'.")
        case .document(let document):
            guard let name = document.keys.first(where: { $0.hasPrefix("$") }) else { return }
            throw MongoError(
                code: 52, "A document that is an '_id' can't have the field '\(name)', whose name begins with '$'.")
        default: break
        }
    }
}
