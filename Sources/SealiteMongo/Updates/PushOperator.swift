internal import SealiteValues

/// The update operator `$push` with its modifiers.
struct PushOperator: Sendable {
    private var items: [BSON]
    private var position: Int64?
    private var slice: Int64?
    private var sort: PushSort?

    static let read: UpdateParser.Reader = { path, operand, _ in
        let push = try PushOperator(operand)
        return FieldOperation("$push", missing: .makesValue) { value, _, path in
            switch value {
            case nil: return .value(.array(push.pushed(to: [])))
            case .array(let items)?: return .value(.array(push.pushed(to: items)))
            case let other?:
                throw MongoError.badValue("$push takes an array, and '\(path)' is of the type \(other.type.alias).")
            }
        }
    }

    /// Creates the operator of an operand. Modifiers are allowed together with `$each` only; an operand without `$each`
    /// is the item to insert.
    private init(_ operand: BSON) throws {
        guard case .document(let modifiers) = operand, let each = modifiers["$each"] else {
            items = [operand]
            return
        }
        guard case .array(let items) = each else {
            throw MongoError.badValue(
                "$push takes an array as $each, not \(each.type.alias).")
        }
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
        guard let number = modifier.value.exactInt64 else {
            throw MongoError.badValue("$push takes an integer as \(modifier.key).")
        }
        return number
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
        guard !document.isEmpty else {
            throw MongoError.badValue("$push takes at least one path in $sort.")
        }
        keys = try document.map { member in
            let names = member.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !names.contains(where: { $0.isEmpty || $0.hasPrefix("$") }) else {
                throw MongoError.badValue("$push takes no path such as '\(member.key)' in $sort.")
            }
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
