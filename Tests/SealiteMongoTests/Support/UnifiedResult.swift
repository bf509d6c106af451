import SealiteValues

/// Compares results with those of the drivers' unified test format.
enum UnifiedResult {
    /// Members of an expected root document may be fewer than those of the result.
    static func matches(_ value: BSON?, _ expected: BSON, isRoot: Bool = true) -> Bool {
        if case .document(let document) = expected, let name = document.keys.first, name.hasPrefix("$$") {
            return special(value, name, document[name] ?? .null)
        }
        guard let value else { return false }
        switch (value, expected) {
        case (.document(let value), .document(let expected)):
            guard isRoot || value.count == expected.count else { return false }
            return expected.allSatisfy { matches(value[$0.key], $0.value, isRoot: false) }
        case (.array(let value), .array(let expected)):
            return value.count == expected.count
                && zip(value, expected).allSatisfy { matches($0, $1, isRoot: isRoot) }
        default: return value.isSame(as: expected)
        }
    }

    private static func special(_ value: BSON?, _ name: String, _ operand: BSON) -> Bool {
        switch name {
        case "$$unsetOrMatches": value == nil || matches(value, operand)
        case "$$exists": (value != nil) == (operand == .bool(true))
        case "$$type":
            value.map { value in
                (operand.asArray ?? [operand]).contains { $0.asString.flatMap(BSONType.init(alias:)) == value.type }
            } ?? false
        default: false
        }
    }
}
