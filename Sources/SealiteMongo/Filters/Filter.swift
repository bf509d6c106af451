internal import SealiteJSON
public import SealiteValues

/// A parsed filter, such as `{"age": {"$gte": 21}}`, which documents fulfil or don't.
public struct Filter: Sendable {
    let tree: FilterTree
    /// True where some condition is on the whole document.
    let needsDocument: Bool

    /// The filter of a document.
    ///
    /// - Parameter context: the variables that expressions see, and the time.
    /// - Throws: `MongoError` for an unknown operator or an operand that it doesn't take.
    public init(parsing document: MongoDocument, context: FilterContext = FilterContext()) throws {
        let parser = FilterParser(context)
        tree = try parser.document(document, at: .top)
        needsDocument = parser.hasDocumentConditions
    }

    init(_ tree: FilterTree) { (self.tree, needsDocument) = (tree, true) }

    /// Returns a Boolean value that says whether a document fulfils the filter.
    ///
    /// - Throws: `MongoError` where an expression of the filter can't be evaluated for the document, or a regular expression takes too long.
    public func matches(_ row: Row) throws -> Bool { try match(row) != nil }

    /// Returns the match of a document; nil where it doesn't fulfil the filter.
    func match(_ row: Row) throws(MongoError) -> FilterMatch? {
        var matcher: FilterMatcher
        let isMatch: Bool
        switch row.content {
        case .made(let document):
            matcher = FilterMatcher()
            let none: [UInt8] = []
            isMatch = try matcher.matches(tree, BSON.document(document), in: none.span)
        case .stored(let body, let id):
            matcher = FilterMatcher(id: id)
            guard let root = JSONBElement(root: body.span) else { return nil }
            isMatch = try matcher.matches(tree, root, in: body.span)
        }
        return isMatch ? FilterMatch(position: matcher.position) : nil
    }
}

/// A document's match of a filter.
struct FilterMatch: Sendable {
    /// The place in the outermost array at which the filter's last condition on an array found its value.
    let position: Int?
}
