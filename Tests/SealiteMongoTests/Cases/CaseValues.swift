import SealiteValues

extension BSON {
    /// The value with regular expressions in the place of objects of `$regex` and `$options`, which the cases' source writes so.
    var withRegularExpressions: BSON {
        switch self {
        case .document(let document):
            if document.count == 2, let pattern = document["$regex"]?.asString,
                let options = document["$options"]?.asString
            {
                return .regex(Regex(pattern, options: options))
            }
            return .document(MongoDocument(document.map { .init($0.key, $0.value.withRegularExpressions) }))
        case .array(let items): return .array(items.map(\.withRegularExpressions))
        default: return self
        }
    }

    /// The value with the members of documents in the order of their names.
    var withSortedMembers: BSON {
        switch self {
        case .document(let document):
            .document(
                MongoDocument(
                    document.map { .init($0.key, $0.value.withSortedMembers) }.sorted { $0.key < $1.key }))
        case .array(let items): .array(items.map(\.withSortedMembers))
        default: self
        }
    }
}

/// Compares results with what cases expect, in what they leave open: the order of items, and the last digits of functions of real numbers.
struct LooseComparison {
    /// True where the items of arrays may come in any order.
    var isUnordered = false
    /// The part of a double by which two may differ.
    var doubleTolerance = 0.0
    /// The part of a decimal by which two may differ.
    var decimalTolerance: Decimal128?

    func areEqual(_ left: BSON, _ right: BSON) -> Bool {
        switch (left, right) {
        case (.document(let left), .document(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.key == $1.key && areEqual($0.value, $1.value) }
        case (.array(let left), .array(let right)): areEqual(left, right, isUnordered: isUnordered)
        case (.double(let left), .double(let right)) where left.isFinite && right.isFinite:
            abs(left - right) <= doubleTolerance * abs(right)
        case (.decimal128(let left), .decimal128(let right)): areEqual(left, right)
        default: CaseComparison.areEqual(left, right)
        }
    }

    func areEqual(_ left: [BSON], _ right: [BSON], isUnordered: Bool) -> Bool {
        guard left.count == right.count else { return false }
        guard isUnordered else { return zip(left, right).allSatisfy { areEqual($0, $1) } }
        var rest = right
        for item in left {
            guard let index = rest.firstIndex(where: { areEqual(item, $0) }) else { return false }
            rest.remove(at: index)
        }
        return true
    }

    private func areEqual(_ left: Decimal128, _ right: Decimal128) -> Bool {
        guard left.compared(to: right) != 0 else { return true }
        guard let decimalTolerance, left.isFinite, right.isFinite else { return false }
        let difference = left.subtracting(right).magnitude
        return difference.compared(to: right.magnitude.multiplied(by: decimalTolerance)) <= 0
    }
}
