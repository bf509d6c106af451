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
    public init(
        parsing update: BSON, arrayFilters: [BSON] = [], context: FilterContext = FilterContext()
    ) throws {
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
            guard arrayFilters.isEmpty else {
                throw MongoError.failedToParse("A pipeline of an update takes no 'arrayFilters'.")
            }
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
    func apply(
        to document: MongoDocument, position: Int? = nil, isInsertion: Bool = false
    ) throws -> MongoDocument {
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
        guard isKept else {
            throw MongoError(code: 66, "The '_id' of a document can't be changed.")
        }
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
