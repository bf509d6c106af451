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
    /// The members of a document that operators are about, where each can be changed without a look at others; nil if not.
    let independentMembers: [UpdateNode.Member]?
    let now: DateTime

    /// The update of a document or, for a pipeline, an array of stages.
    ///
    /// - Parameters:
    ///   - update: the document or the array.
    ///   - arrayFilters: the filters that `$[name]` in paths stands for.
    ///   - context: the variables that expressions see, and the time.
    /// - Throws: `MongoError` for an unknown operator, an operand that it doesn't take, or two operators on one path.
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
                throw MongoError(code: 52, "The dollar ($) prefixed field '\(name)' is not allowed in a replacement.")
            }
            kind = .replacement(document)
        case .array(let stages):
            guard arrayFilters.isEmpty else {
                throw MongoError.failedToParse("arrayFilters may not be specified for pipeline-style updates")
            }
            kind = .pipeline(try UpdatePipeline(stages, context))
        default:
            throw MongoError.failedToParse("Update argument must be either an object or an array")
        }
        independentMembers = kind.independentMembers
    }

    /// True for a replacement of the whole document.
    var isReplacement: Bool { if case .replacement = kind { true } else { false } }

    private var hasOperators: Bool { if case .operators = kind { true } else { false } }

    /// Returns a document as the update leaves it; its `_id` stays, in front.
    ///
    /// - Parameters:
    ///   - document: the document as it is.
    ///   - position: the place in an array at which the filter found its value, for `$`.
    ///   - isInsertion: true for a document that the update inserts, whose `_id` may still be missing.
    /// - Returns: the document as it becomes.
    /// - Throws: `MongoError` if an operator doesn't fit a value of the document.
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

    /// Puts the document's `_id` in front of the changed one, which may have an equal one but no other.
    private func keepID(of document: MongoDocument, in changed: inout MongoDocument) throws {
        guard let id = document["_id"] else {
            if let id = changed["_id"] { changed.putFirst("_id", id) }
            return
        }
        let isKept = changed["_id"].map { $0.isSame(as: id) } ?? !hasOperators
        guard isKept else {
            throw MongoError(code: 66, "Performing an update on the path '_id' would modify the immutable field '_id'")
        }
        changed.putFirst("_id", id)
    }
}

extension MongoDocument {
    /// Moves a member to the front, with a value.
    mutating func putFirst(_ key: String, _ value: BSON) {
        if members.first?.key == key {
            self[key] = value
        } else {
            self[key] = nil
            insert(key, value, at: 0)
        }
    }
}
