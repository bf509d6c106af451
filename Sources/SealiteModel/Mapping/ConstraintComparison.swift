internal import SealiteValues

/// Compares the keywords that only validation checks. A change is narrowing if fewer documents conform, widening if
/// more do. If this can't be determined, the change counts as narrowing.
enum ConstraintComparison {
    /// Returns the keywords that differ between two schemas, each with the effect of its change.
    static func impacts(_ old: MongoDocument, _ new: MongoDocument) -> [(keyword: String, impact: SchemaImpact)] {
        guard old != new else { return [] }
        let before = Dictionary(old.map { ($0.key, $0.value) }) { first, _ in first }
        let after = Dictionary(new.map { ($0.key, $0.value) }) { first, _ in first }
        let names = new.keys + old.keys.filter { after[$0] == nil }
        return names.compactMap { name in
            guard before[name] != after[name] else { return nil }
            return impact(name, before[name], after[name]).map { (name, $0) }
        }
    }

    private static func impact(_ keyword: String, _ old: BSON?, _ new: BSON?) -> SchemaImpact? {
        switch (old, new) {
        case (nil, let value?): return isAbout(keyword, value) ? .narrowing : nil
        case (let value?, nil): return isAbout(keyword, value) ? .widening : nil
        case (let old?, let new?):
            guard !old.isSame(as: new) else { return nil }
            let isWider = wider[keyword].map { $0(old, new) } ?? false
            return isWider ? .widening : .narrowing
        default: return nil
        }
    }

    /// Returns whether a keyword with a value restricts documents; some values mean the same as the absence of the
    /// keyword.
    private static func isAbout(_ keyword: String, _ value: BSON) -> Bool {
        switch keyword {
        case "exclusiveMinimum", "exclusiveMaximum", "uniqueItems": value != false
        case "additionalProperties", "additionalItems": value != true
        default: true
        }
    }

    // MARK: - Keywords

    /// A function that returns whether the second value of a keyword, which replaces the first, accepts everything that
    /// the first accepts.
    private typealias Comparison = @Sendable (BSON, BSON) -> Bool

    private static let wider: [String: Comparison] = [
        "minimum": isLess, "minLength": isLess, "minItems": isLess, "minProperties": isLess,
        "maximum": isGreater, "maxLength": isGreater, "maxItems": isGreater, "maxProperties": isGreater,
        "exclusiveMinimum": isFalse, "exclusiveMaximum": isFalse, "uniqueItems": isFalse,
        "additionalProperties": isWiderSchema, "additionalItems": isWiderSchema, "items": isWiderSchema,
        "enum": hasMore, "type": hasMore, "bsonType": hasMore, "required": hasFewer, "multipleOf": isDivisor,
    ]

    private static let isLess: Comparison = { $1.compared(to: $0) < 0 }
    private static let isGreater: Comparison = { $1.compared(to: $0) > 0 }
    private static let isFalse: Comparison = { $1 == false }
    private static let hasMore: Comparison = { Set(items($1)).isSuperset(of: items($0)) }
    private static let hasFewer: Comparison = { Set(items($1)).isSubset(of: items($0)) }

    private static let isDivisor: Comparison = { old, new in
        guard let old = decimal(old), let new = decimal(new), !new.isZero else { return false }
        return old.remainder(dividingBy: new).isZero
    }

    private static let isWiderSchema: Comparison = { old, new in
        switch (old, new) {
        case (.bool(false), _), (_, .bool(true)): true
        case (.document(let old), .document(let new)): !impacts(old, new).contains { $0.impact != .widening }
        default: false
        }
    }

    private static func items(_ value: BSON) -> [BSONKey] {
        if case .array(let items) = value { items.map { BSONKey($0) } } else { [BSONKey(value)] }
    }

    private static func decimal(_ value: BSON) -> Decimal128? {
        switch value {
        case .int32(let number): Decimal128(number)
        case .int64(let number): Decimal128(number)
        case .double(let number): Decimal128(shortest: number)
        case .decimal128(let number): number
        default: nil
        }
    }
}
