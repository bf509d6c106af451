internal import Glibc
internal import SealiteJSON
public import SealiteValues

/// A parsed filter, such as `{"age": {"$gte": 21}}`.
public struct Filter: Sendable {
    let tree: FilterTree
    /// A Boolean value that says whether a condition depends on the document's `_id`, which isn't in its stored body.
    let needsID: Bool
    /// A Boolean value that says whether a condition is an `$expr`.
    let hasExpression: Bool
    /// The `$text` of the conditions; nil if there is none.
    let text: TextQuery?
    /// The documents that the `$text` found, if the filter is resolved.
    var matches: TextMatches?

    /// The metadata that the documents have that fulfil the filter.
    var metadata: Set<MetadataField> { text == nil ? [] : [.textScore, .score] }
    /// The condition of `$near`, by whose distances the documents are sorted; nil if there is none.
    let near: NearCondition?

    /// Creates the filter that a document of conditions specifies.
    ///
    /// - Parameters:
    ///   - document: the conditions.
    ///   - context: the variables of expressions, and the time.
    /// - Throws: `MongoError` for an unknown operator or an invalid operand.
    public init(parsing document: MongoDocument, context: FilterContext = FilterContext()) throws {
        let parser = FilterParser(context)
        tree = try parser.document(document, at: .top)
        (needsID, hasExpression, near) = (parser.needsID, parser.hasExpression, parser.near)
        text = parser.hasText ? tree.text : nil
        try require(
            !parser.hasText || !tree.hasMisplacedText, 291,
            "$text can't be an alternative of conditions that aren't searched for in an index.")
    }

    init(_ tree: FilterTree) { (self.tree, needsID, hasExpression, text, near) = (tree, true, false, nil, nil) }

    private init(ofBodies tree: FilterTree) {
        (self.tree, needsID, hasExpression, text, near) = (tree, false, false, nil, nil)
    }

    /// The filter that every document fulfils.
    static let everything = Filter(ofBodies: .all([]))

    /// Returns a Boolean value that says whether a document fulfils the filter.
    ///
    /// - Throws: `MongoError` if an expression of the filter can't be evaluated for the document, or a regular
    ///   expression takes too long; `CancellationError` if the task is cancelled during a long evaluation.
    public func matches(_ row: Row) throws -> Bool { try match(row) != nil }

    /// Returns the match of a document, which has the array position to which `$` refers; nil if the document doesn't
    /// fulfil the filter.
    func match(_ row: Row) throws -> FilterMatch? {
        switch row.content {
        case .made(let document):
            var matcher = FilterMatcher()
            let none: [UInt8] = []
            guard try matcher.matches(tree, BSON.document(document), in: none.span) else { return nil }
            return FilterMatch(position: matcher.position)
        case .stored(let body, let id): return try match(body.span, id: id)
        }
    }

    /// Returns the match of a document with a stored body, which has the array position to which `$` refers; nil if the
    /// document doesn't fulfil the filter. `id` may be nil if the filter doesn't need the `_id`.
    func match(_ body: borrowing Span<UInt8>, id: BSON?) throws -> FilterMatch? {
        guard let root = JSONBElement(root: body) else { return nil }
        var matcher = FilterMatcher(id: id)
        guard try matcher.matches(tree, root, in: body) else { return nil }
        return FilterMatch(position: matcher.position)
    }
}

/// The context in which a filter or an update is parsed.
public struct FilterContext: Sendable {
    /// The variables that expressions refer to as `$$name`. Each value is an expression, which may use the variables
    /// before it but no path into a document; `$literal` protects a string that begins with `$`.
    public var variables: MongoDocument
    /// The time of `$$NOW` in expressions, and of `$currentDate` in updates.
    public var now: DateTime
    /// A Boolean value that says whether a filter may have a `$near`, as it mayn't in pipelines.
    var allowsNear = true

    /// Creates a context.
    public init(variables: MongoDocument = [:], now: DateTime = DateTime.now) {
        (self.variables, self.now) = (variables, now)
    }
}

extension DateTime {
    /// The current time of the system's clock.
    public static var now: DateTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return DateTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The result of testing a document that fulfils a filter: the position of the array item to which the operator `$`
/// refers.
struct FilterMatch: Sendable {
    /// The index in the outermost array at which the last of the filter's conditions on an array found its value; nil
    /// if there is no such condition outside of alternatives and negations.
    let position: Int?
}
