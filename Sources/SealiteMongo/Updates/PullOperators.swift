internal import SealiteValues

/// The update operators `$pull` and `$pullAll`, which remove items from arrays.
enum PullOperators {
    static let pull: UpdateParser.Reader = { _, operand, context in
        let condition = try condition(operand, context)
        return removing("$pull") { try condition($0) }
    }

    static let pullAll: UpdateParser.Reader = { path, operand, _ in
        guard case .array(let items) = operand else {
            throw MongoError.badValue("$pullAll of '\(path.text)' takes an array.")
        }
        let keys = Set(items.map(BSONKey.init))
        return removing("$pullAll") { keys.contains(BSONKey($0)) }
    }

    private static func removing(
        _ name: String, _ isRemoved: @escaping @Sendable (BSON) throws -> Bool
    ) -> FieldOperation {
        FieldOperation(name, missing: .nothing) { value, _, path in
            guard case .array(let items)? = value else {
                throw MongoError.badValue("\(name) takes an array, which '\(path)' isn't.")
            }
            let left = try items.filter { try !isRemoved($0) }
            return left.count == items.count ? .unchanged : .value(.array(left))
        }
    }

    // MARK: - Conditions

    /// The name of the member as which an item is put into a document, so that a filter with operators on a value can
    /// test it.
    private static let itemName = "item"

    /// Returns a function that tells whether `$pull` removes an item: an object of field conditions, or one that begins
    /// with an operator on documents such as `$or`, is a filter on items that are objects; other operators apply to the
    /// item; a regular expression must match it; any other value must be equal to it.
    private static func condition(
        _ operand: BSON, _ context: FilterContext
    ) throws -> @Sendable (BSON) throws -> Bool {
        switch operand {
        case .document(let document):
            let isOnItem = document.isOperators && FilterParser.documentOperators[document.keys[0]] == nil
            let parser = FilterParser(context)
            guard isOnItem else {
                let filter = Filter(try parser.document(document, at: .inside))
                return { item in
                    guard case .document(let document) = item else { return false }
                    return try filter.matches(Row(document))
                }
            }
            let filter = Filter(try parser.operators(document, of: FilterPath(itemName)))
            return { try filter.matches(Row([MongoDocument.Member(itemName, $0)])) }
        case .regex(let regex):
            let pattern = try FilterPattern(regex)
            let none: [UInt8] = []
            return { try pattern.holds(for: $0, in: none.span) }
        default: return { $0.isSame(as: operand) }
        }
    }
}

extension Row {
    /// Creates the row of a document in memory with the given members.
    init(_ members: [MongoDocument.Member]) { self.init(MongoDocument(members)) }
}
