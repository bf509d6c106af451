internal import SealiteValues

/// The update operators `$addToSet` and `$pop`, which add items to arrays, or remove one from an end.
enum ArrayOperators {
    static let addToSet: UpdateParser.Reader = { path, operand, _ in
        let items = try added(operand, path)
        return FieldOperation("$addToSet", missing: .makesValue) { value, _, path in
            var result = try array(value, "$addToSet", path)
            var known = Set(result.map(BSONKey.init))
            for item in items where known.insert(BSONKey(item)).inserted { result.append(item) }
            return .value(.array(result))
        }
    }

    /// Returns the items of the array to which the operator `name` adds items; none for a missing value.
    static func array(_ value: BSON?, _ name: String, _ path: String) throws -> [BSON] {
        guard let value else { return [] }
        return try require(
            value.items, .badValue("\(name) takes an array, and '\(path)' is of the type \(value.type.alias)."))
    }

    private static func added(_ operand: BSON, _ path: UpdatePath) throws -> [BSON] {
        guard case .document(let modifiers) = operand, modifiers.keys.first == "$each" else { return [operand] }
        try require(
            modifiers.count == 1, .badValue("$addToSet of '\(path.text)' takes $each alone, without other members."))
        return try require(modifiers["$each"].items, .typeMismatch("$addToSet takes an array as $each."))
    }

    static let pop: UpdateParser.Reader = { path, operand, _ in
        guard let end = operand.exactInt64, end == 1 || end == -1 else {
            throw MongoError.failedToParse("$pop of '\(path.text)' takes 1 or -1.")
        }
        return FieldOperation("$pop", missing: .nothing) { value, _, path in
            let items = try require(value.items, .typeMismatch("$pop takes an array, which '\(path)' isn't."))
            return .value(.array(Array(end == 1 ? items.dropLast() : items.dropFirst())))
        }
    }
}

/// The update operators `$pull` and `$pullAll`, which remove items from arrays.
enum PullOperators {
    static let pull: UpdateParser.Reader = { _, operand, context in
        let condition = try condition(operand, context)
        return removing("$pull") { try condition($0) }
    }

    static let pullAll: UpdateParser.Reader = { path, operand, _ in
        let items = try require(operand.items, .badValue("$pullAll of '\(path.text)' takes an array."))
        let keys = Set(items.map(BSONKey.init))
        return removing("$pullAll") { keys.contains(BSONKey($0)) }
    }

    private static func removing(
        _ name: String, _ isRemoved: @escaping @Sendable (BSON) throws -> Bool
    ) -> FieldOperation {
        FieldOperation(name, missing: .nothing) { value, _, path in
            let items = try require(value.items, .badValue("\(name) takes an array, which '\(path)' isn't."))
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
    private static func condition(_ operand: BSON, _ context: FilterContext) throws -> @Sendable (BSON) throws -> Bool {
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

/// The update operator `$push` with its modifiers.
struct PushOperator: Sendable {
    private var items: [BSON]
    private var position: Int64?
    private var slice: Int64?
    private var sort: PushSort?

    static let read: UpdateParser.Reader = { path, operand, _ in
        let push = try PushOperator(operand)
        return FieldOperation("$push", missing: .makesValue) { value, _, path in
            .value(.array(push.pushed(to: try ArrayOperators.array(value, "$push", path))))
        }
    }

    /// Creates the operator of an operand. Modifiers are allowed together with `$each` only; an operand without `$each`
    /// is the item to insert.
    private init(_ operand: BSON) throws {
        guard case .document(let modifiers) = operand, let each = modifiers["$each"] else {
            items = [operand]
            return
        }
        let items = try require(each.items, .badValue("$push takes an array as $each, not \(each.type.alias)."))
        self.items = items
        for modifier in modifiers {
            switch modifier.key {
            case "$each": break
            case "$position": position = try Self.integer(modifier)
            case "$slice": slice = try Self.integer(modifier)
            case "$sort": sort = try PushSort(modifier.value)
            default: throw MongoError.badValue("$push has no member '\(modifier.key)'.")
            }
        }
    }

    private static func integer(_ modifier: MongoDocument.Member) throws -> Int64 {
        return try require(modifier.value.exactInt64, .badValue("$push takes an integer as \(modifier.key)."))
    }

    /// Returns an array into which the items are inserted, and which is then sorted and sliced as the modifiers say.
    private func pushed(to array: [BSON]) -> [BSON] {
        var result = array
        let count = Int64(array.count)
        let place = position.map { $0 < 0 ? max(count + max($0, -count), 0) : min($0, count) } ?? count
        result.insert(contentsOf: items, at: Int(place))
        if let sort { result = sort.sorted(result) }
        guard let slice else { return result }
        return slice >= 0
            ? Array(result.prefix(Int(min(slice, Int64(result.count)))))
            : Array(result.suffix(Int(min(slice.magnitude, UInt64(result.count)))))
    }
}

/// The order in which `$push` sorts an array: by the items themselves, or by their values at paths, which aren't
/// continued in each item of an array.
private struct PushSort: Sendable {
    private let keys: [(names: [String], isDescending: Bool)]

    init(_ operand: BSON) throws {
        guard case .document(let document) = operand else {
            keys = [([], try Self.isDescending(operand))]
            return
        }
        try require(!document.isEmpty, .badValue("$push takes at least one path in $sort."))
        keys = try document.map { member in
            let names = member.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try require(
                !names.contains(where: { $0.isEmpty || $0.hasPrefix("$") }),
                .badValue("$push takes no path such as '\(member.key)' in $sort."))
            return (names, try Self.isDescending(member.value))
        }
    }

    private static func isDescending(_ direction: BSON) throws -> Bool {
        switch direction.exactInt64 {
        case 1: return false
        case -1: return true
        default: throw MongoError.badValue("$push takes 1 or -1 as a direction of $sort.")
        }
    }

    func sorted(_ items: [BSON]) -> [BSON] {
        let keyed = items.map { item in (item: item, values: keys.map { Self.value(at: $0.names, of: item) }) }
        return keyed.sorted { left, right in
            for (index, key) in keys.enumerated() {
                let order = left.values[index].compared(to: right.values[index])
                if order != 0 { return (order < 0) != key.isDescending }
            }
            return false
        }.map(\.item)
    }

    private static func value(at names: [String], of item: BSON) -> BSON {
        var value = item
        for name in names {
            switch value {
            case .document(let document): value = document[name] ?? .null
            case .array(let items):
                guard let index = name.arrayIndex, index < items.count else { return .null }
                value = items[index]
            default: return .null
            }
        }
        return value
    }
}
