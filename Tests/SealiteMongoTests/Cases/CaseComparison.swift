import SealiteValues

/// Compares results with what cases expect: numbers by value and by family, which are integers, doubles and decimals; all else exactly.
enum CaseComparison {
    static func areEqual(_ left: BSON, _ right: BSON) -> Bool {
        switch (left, right) {
        case (.document(let left), .document(let right)): return areEqual(left, right)
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
        case (.int32, .int64), (.int64, .int32): return left.isSame(as: right)
        case (.decimal128, .decimal128), (.double, .double): return left.isSame(as: right)
        default: return left == right
        }
    }

    static func areEqual(_ left: MongoDocument, _ right: MongoDocument) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { $0.key == $1.key && areEqual($0.value, $1.value) }
    }

    /// Compares two lists without regard to order.
    static func areEqualSets(_ left: [BSON], _ right: [BSON]) -> Bool {
        var rest = right
        for item in left {
            guard let index = rest.firstIndex(where: { areEqual($0, item) }) else { return false }
            rest.remove(at: index)
        }
        return rest.isEmpty
    }

    static func areEqual(_ left: [MongoDocument], _ right: [BSON], unordered: Bool) -> Bool {
        let left = left.map(BSON.document)
        return unordered ? areEqualSets(left, right) : areEqual(.array(left), .array(right))
    }
}
