extension BSONType {
    /// The rank of the type in MongoDB's order, with which the keys of its values start: all numeric types have one rank,
    /// strings and symbols have one rank.
    package var rank: Int {
        switch self {
        case .minKey: 0x08
        case .undefined: 0x10
        case .null: 0x18
        case .int32, .int64, .double, .decimal128: 0x20
        case .string, .symbol: 0x28
        case .document: 0x30
        case .array: 0x38
        case .binary: 0x40
        case .objectID: 0x48
        case .bool: 0x50
        case .datetime: 0x58
        case .timestamp: 0x60
        case .regex: 0x68
        case .dbPointer: 0x70
        case .code: 0x78
        case .codeWithScope: 0x80
        case .maxKey: 0x88
        }
    }
}

extension BSON {
    /// Returns a negative number, 0 or a positive number if this value comes before, is equal to or comes after another
    /// one in MongoDB's order.
    ///
    /// Numbers are compared by their exact values whatever their types, strings by their bytes, documents member by
    /// member in their order.
    public func compared(to other: BSON) -> Int {
        if let left = NumericValue(self), let right = NumericValue(other) { return left.compared(to: right) }
        let (rank, otherRank) = (type.rank, other.type.rank)
        guard rank == otherRank else { return rank - otherRank }
        switch (self, other) {
        case (.string(let left), .string(let right)), (.symbol(let left), .symbol(let right)),
            (.string(let left), .symbol(let right)), (.symbol(let left), .string(let right)),
            (.code(let left), .code(let right)):
            return BytewiseOrder.compare(left, right)
        case (.document(let left), .document(let right)): return left.compared(to: right)
        case (.array(let left), .array(let right)): return Self.compare(left, right)
        case (.binary(let left), .binary(let right)): return left.compared(to: right)
        case (.objectID(let left), .objectID(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.datetime(let left), .datetime(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.timestamp(let left), .timestamp(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.regex(let left), .regex(let right)): return left.compared(to: right)
        case (.dbPointer(let left), .dbPointer(let right)): return left.compared(to: right)
        case (.codeWithScope(let left, let scope), .codeWithScope(let right, let otherScope)):
            let order = BytewiseOrder.compare(left, right)
            return order == 0 ? scope.compared(to: otherScope) : order
        default: return 0
        }
    }

    /// Returns the result of ``compared(to:)``, and calls `visit` before each comparison of two values in arrays and
    /// documents, however deeply they are nested.
    package func compared(to other: BSON, _ visit: () throws -> Void) rethrows -> Int {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            for (item, otherItem) in zip(left, right) {
                try visit()
                let order = try item.compared(to: otherItem, visit)
                guard order == 0 else { return order }
            }
            return left.count - right.count
        case (.document(let left), .document(let right)):
            for (member, otherMember) in zip(left, right) {
                try visit()
                let (rank, otherRank) = (member.value.type.rank, otherMember.value.type.rank)
                guard rank == otherRank else { return rank - otherRank }
                let names = BytewiseOrder.compare(member.key, otherMember.key)
                guard names == 0 else { return names }
                let values = try member.value.compared(to: otherMember.value, visit)
                guard values == 0 else { return values }
            }
            return left.count - right.count
        default: return compared(to: other)
        }
    }

    /// Returns whether two values are equal in MongoDB's order, in which 1, 1.0 and the decimal 1.00 are equal.
    public func isSame(as other: BSON) -> Bool { compared(to: other) == 0 }

    private static func compare(_ left: [BSON], _ right: [BSON]) -> Int {
        for (item, other) in zip(left, right) {
            let order = item.compared(to: other)
            guard order == 0 else { return order }
        }
        return left.count - right.count
    }
}

extension MongoDocument {
    /// Returns a negative number, 0 or a positive number if this document comes before, is equal to or comes after
    /// another one. Pairs of members are compared by the ranks of their values' types, their names and their values;
    /// then the document with fewer members comes first.
    public func compared(to other: MongoDocument) -> Int {
        for (member, otherMember) in zip(self, other) {
            let (rank, otherRank) = (member.value.type.rank, otherMember.value.type.rank)
            guard rank == otherRank else { return rank - otherRank }
            let names = BytewiseOrder.compare(member.key, otherMember.key)
            guard names == 0 else { return names }
            let values = member.value.compared(to: otherMember.value)
            guard values == 0 else { return values }
        }
        return count - other.count
    }
}

extension Binary {
    /// The number of bytes by which binary data is ordered: the deprecated subtype 2 repeats its length in four bytes.
    var orderedByteCount: Int { bytes.count + (subtype == 2 ? 4 : 0) }

    /// Returns a negative number, 0 or a positive number, like ``BSON/compared(to:)``: compares the lengths, then the
    /// subtypes, then the bytes.
    func compared(to other: Binary) -> Int {
        guard orderedByteCount == other.orderedByteCount else { return orderedByteCount - other.orderedByteCount }
        guard subtype == other.subtype else { return Int(subtype) - Int(other.subtype) }
        return bytes == other.bytes ? 0 : bytes.lexicographicallyPrecedes(other.bytes) ? -1 : 1
    }
}

extension Regex {
    /// Returns a negative number, 0 or a positive number, like ``BSON/compared(to:)``: compares the patterns, then the
    /// options.
    func compared(to other: Regex) -> Int {
        let order = BytewiseOrder.compare(pattern, other.pattern)
        return order == 0 ? BytewiseOrder.compare(options, other.options) : order
    }
}

extension DBPointer {
    /// Returns a negative number, 0 or a positive number, like ``BSON/compared(to:)``: compares the lengths of the
    /// collections' names, then the names, then the IDs.
    func compared(to other: DBPointer) -> Int {
        let (length, otherLength) = (collection.utf8.count, other.collection.utf8.count)
        guard length == otherLength else { return length - otherLength }
        let order = BytewiseOrder.compare(collection, other.collection)
        guard order == 0 else { return order }
        return id < other.id ? -1 : id == other.id ? 0 : 1
    }
}

/// The order of strings by the bytes of their UTF-8, in which a prefix comes first.
enum BytewiseOrder {
    /// Returns a negative number, 0 or a positive number if the left text comes before, is equal to or comes after the
    /// right one.
    static func compare(_ left: String, _ right: String) -> Int {
        let (leftSpan, rightSpan) = (left.utf8.span, right.utf8.span)
        for index in 0..<min(leftSpan.count, rightSpan.count) where leftSpan[index] != rightSpan[index] {
            return leftSpan[index] < rightSpan[index] ? -1 : 1
        }
        return leftSpan.count - rightSpan.count
    }
}
