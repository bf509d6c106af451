internal import SealiteValues

/// The update operators that take items out of arrays.
enum PullOperators {
    static let pull: UpdateParser.Reader = { _, operand, context in
        let condition = try condition(operand, context)
        return removing("$pull") { try condition($0) }
    }

    static let pullAll: UpdateParser.Reader = { path, operand, _ in
        guard case .array(let items) = operand else {
            throw MongoError.badValue("$pullAll of '\(path.text)' requires an array argument")
        }
        let keys = Set(items.map(BSONKey.init))
        return removing("$pullAll") { keys.contains(BSONKey($0)) }
    }

    private static func removing(
        _ name: String, _ isRemoved: @escaping @Sendable (BSON) throws -> Bool
    ) -> FieldOperation {
        FieldOperation(name, missing: .nothing) { value, _, path in
            guard case .array(let items)? = value else {
                throw MongoError.badValue("Cannot apply \(name) to a non-array value at '\(path)'")
            }
            let left = try items.filter { try !isRemoved($0) }
            return left.count == items.count ? .unchanged : .value(.array(left))
        }
    }

    // MARK: - Conditions

    /// The name under which an item stands for operators that are on a value.
    private static let itemName = "item"

    /// A plain object is a filter on items that are objects; operators are on the items themselves; any other value is equal to the items.
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
    /// A document of members.
    init(_ members: [MongoDocument.Member]) { self.init(MongoDocument(members)) }
}
