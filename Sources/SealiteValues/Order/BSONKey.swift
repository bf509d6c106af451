/// A value as a key of sets and dictionaries, in which values that are equal in MongoDB's order are one key, such as 1,
/// 1.0 and the decimal 1.00.
public struct BSONKey: Sendable, Hashable {
    /// The value that is used as a key.
    public let value: BSON

    /// Creates a key.
    public init(_ value: BSON) { self.value = value }

    /// Returns whether the values are equal in MongoDB's order.
    public static func == (left: BSONKey, right: BSONKey) -> Bool { left.value.isSame(as: right.value) }

    /// Feeds the value to a hasher; values that are equal in MongoDB's order have equal hashes.
    public func hash(into hasher: inout Hasher) { value.hashPlace(into: &hasher) }
}

extension BSON {
    fileprivate func hashPlace(into hasher: inout Hasher) {
        hasher.combine(type.rank)
        if let number = NumericValue(self) { return number.hashPlace(into: &hasher) }
        switch self {
        case .string(let text), .symbol(let text): ExactKey.hash(text, into: &hasher)
        case .document(let document): document.hashPlace(into: &hasher)
        case .array(let items):
            hasher.combine(items.count)
            for item in items { item.hashPlace(into: &hasher) }
        case .codeWithScope(let text, let scope):
            ExactKey.hash(text, into: &hasher)
            scope.hashPlace(into: &hasher)
        default: hash(into: &hasher)
        }
    }
}

extension MongoDocument {
    fileprivate func hashPlace(into hasher: inout Hasher) {
        hasher.combine(count)
        for member in self {
            ExactKey.hash(member.key, into: &hasher)
            member.value.hashPlace(into: &hasher)
        }
    }
}

extension NumericValue {
    fileprivate func hashPlace(into hasher: inout Hasher) {
        switch canonical {
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
        case .decimal(let value): hasher.combine(value)
        }
    }
}
