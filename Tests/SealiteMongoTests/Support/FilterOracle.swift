import SealiteTestSupport
import SealiteValues

/// Filters by the letter of the rules: all leaves of a path are listed, then looked at. It knows the operators that `RandomFilters` makes.
enum FilterOracle {
    private enum Leaf {
        case missing
        case item(BSON)
        case whole(BSON)

        var value: BSON? {
            switch self {
            case .missing: nil
            case .item(let value), .whole(let value): value
            }
        }
    }

    static func matches(_ filter: MongoDocument, _ document: BSON) -> Bool {
        filter.allSatisfy { member in
            switch (member.key, member.value) {
            case ("$and", .array(let items)): items.allSatisfy { matches($0.asDocument ?? [:], document) }
            case ("$or", .array(let items)): items.contains { matches($0.asDocument ?? [:], document) }
            case ("$nor", .array(let items)): !items.contains { matches($0.asDocument ?? [:], document) }
            case (let path, .document(let operators)) where operators.keys.first?.hasPrefix("$") ?? false:
                operators.allSatisfy { holds($0, leaves(document, path.split(separator: ".").map(String.init)[...])) }
            case (let path, let value):
                holds(.init("$eq", value), leaves(document, path.split(separator: ".").map(String.init)[...]))
            }
        }
    }

    private static func leaves(_ value: BSON, _ path: ArraySlice<String>) -> [Leaf] {
        guard let name = path.first else {
            guard case .array(let items) = value else { return [.item(value)] }
            return items.map { .item($0) } + [.whole(value)]
        }
        switch value {
        case .document(let document): return document[name].map { leaves($0, path.dropFirst()) } ?? [.missing]
        case .array(let items):
            var found: [Leaf] = []
            for (index, item) in items.enumerated() {
                if "\(index)" == name {
                    if path.count == 1 {
                        if case .array = item { found.append(.whole(item)) } else { found.append(.item(item)) }
                    } else {
                        found += leaves(item, path.dropFirst())
                    }
                }
                if case .document = item { found += leaves(item, path) }
            }
            return found
        default: return [.missing]
        }
    }

    private static func holds(_ condition: MongoDocument.Member, _ leaves: [Leaf]) -> Bool {
        let operand = condition.value
        switch condition.key {
        case "$ne": return !holds(.init("$eq", operand), leaves)
        case "$nin": return !holds(.init("$in", operand), leaves)
        case "$not": return !(operand.asDocument ?? [:]).allSatisfy { holds($0, leaves) }
        case "$in": return (operand.asArray ?? []).contains { holds(.init("$eq", $0), leaves) }
        case "$all":
            let items = operand.asArray ?? []
            return !items.isEmpty && items.allSatisfy { holds(.init("$eq", $0), leaves) }
        case "$exists": return leaves.contains { $0.value != nil } == (operand == .bool(true))
        case "$size":
            return leaves.contains {
                if case .whole(.array(let items)) = $0 { items.count == operand.asInt } else { false }
            }
        case "$elemMatch":
            return leaves.contains { leaf in
                guard case .whole(.array(let items)) = leaf else { return false }
                return items.contains { isElement($0, operand.asDocument ?? [:]) }
            }
        default: return leaves.contains { compare(condition.key, $0.value, operand) }
        }
    }

    private static func isElement(_ item: BSON, _ conditions: MongoDocument) -> Bool {
        if conditions.keys.first?.hasPrefix("$") ?? false {
            let leaf: Leaf = if case .array = item { .whole(item) } else { .item(item) }
            return conditions.allSatisfy { holds($0, [leaf]) }
        }
        switch item {
        case .document: return matches(conditions, item)
        case .array(let items):
            let document = MongoDocument(items.enumerated().map { .init("\($0.offset)", $0.element) })
            return matches(conditions, .document(document))
        default: return false
        }
    }

    private static func compare(_ name: String, _ value: BSON?, _ operand: BSON) -> Bool {
        if operand == .null {
            return (value == nil || value == .null) && ["$eq", "$gte", "$lte"].contains(name)
        }
        guard let value, value.type.rank == operand.type.rank else { return false }
        let order = value.compared(to: operand)
        return switch name {
        case "$eq": order == 0
        case "$gt": order > 0
        case "$gte": order >= 0
        case "$lt": order < 0
        default: order <= 0
        }
    }
}

/// Random documents with nested arrays, and filters on them, of one seed.
struct RandomFilters {
    private var random: SeededRandom

    /// Documents and filters for a test, which the number tells apart from others.
    init(part: UInt64) { random = SeededRandom(part: part) }

    private mutating func next(_ bound: Int) -> Int { random.below(bound) }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[next(values.count)] }

    private let names = ["a", "b", "0", "1"]

    private mutating func scalar() -> BSON {
        pick([
            .int32(0), .int32(1), .int32(2), .double(1), .double(1.5), .string("x"), .string("y"), .null, .bool(true),
            .bool(false), .datetime(DateTime(milliseconds: 5)),
        ])
    }

    mutating func value(depth: Int) -> BSON {
        switch next(depth > 0 ? 6 : 3) {
        case 0, 1, 2: return scalar()
        case 3: return .document(document(depth: depth - 1))
        default: return .array((0..<next(4)).map { _ in value(depth: depth - 1) })
        }
    }

    mutating func document(depth: Int) -> MongoDocument {
        var document = MongoDocument()
        for _ in 0..<next(3) { document[pick(names)] = value(depth: depth) }
        return document
    }

    mutating func filter(depth: Int = 2) -> MongoDocument {
        var filter = MongoDocument()
        for _ in 0..<(1 + next(2)) {
            if depth > 0, next(5) == 0 {
                filter[pick(["$and", "$or", "$nor"])] = .array(
                    (0..<(1 + next(2))).map { _ in .document(self.filter(depth: depth - 1)) })
            } else {
                let path = (0..<(1 + next(3))).map { _ in pick(names) }.joined(separator: ".")
                filter[path] = next(4) == 0 ? value(depth: 1) : .document(operators(depth: depth))
            }
        }
        return filter
    }

    private mutating func operators(depth: Int) -> MongoDocument {
        var operators = MongoDocument()
        for _ in 0..<(1 + next(2)) {
            let name = pick([
                "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$all", "$exists", "$size", "$not",
                "$elemMatch",
            ])
            switch name {
            case "$in", "$nin", "$all": operators[name] = .array((0..<next(3)).map { _ in plain() })
            case "$exists": operators[name] = .bool(next(2) == 0)
            case "$size": operators[name] = .int32(Int32(next(4)))
            case "$not":
                guard depth > 0 else { continue }
                operators[name] = .document(self.operators(depth: depth - 1).orElse(["$eq": 1]))
            case "$elemMatch":
                guard depth > 0 else { continue }
                operators[name] = .document(
                    next(2) == 0 ? filter(depth: 0) : self.operators(depth: depth - 1).orElse(["$gt": 0]))
            default: operators[name] = plain()
            }
        }
        return operators.orElse(["$eq": 1])
    }

    /// A value that isn't taken for operators.
    private mutating func plain() -> BSON { value(depth: 1) }
}

extension MongoDocument {
    fileprivate func orElse(_ other: MongoDocument) -> MongoDocument { isEmpty ? other : self }
}
