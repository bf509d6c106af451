public import SealiteJSON

/// A value that paths can traverse: a value in memory, or an element of a stored body that is read without a copy.
///
/// The argument `bytes` of the methods is the stored body; a value in memory ignores it.
@usableFromInline package protocol PathNode {
    /// Returns the value's shape; values that are stored as wrappers, objects with a name such as `$oid`, are scalars.
    func shape(in bytes: borrowing Span<UInt8>) -> NodeShape
    /// Returns the member of an object whose name is the path's name at the index `depth`; nil if it is missing.
    func member(_ path: FilterPath, _ depth: Int, in bytes: borrowing Span<UInt8>) -> Self?
    /// The position of an array's first item, with which calls of `nextItem` start.
    var firstItemPlace: Int { get }
    /// Returns the item of an array at a position, which is advanced; nil at the end.
    func nextItem(_ place: inout Int, in bytes: borrowing Span<UInt8>) -> Self?
}

extension PathNode {
    /// Returns the item of this array at an index from 0; nil past the end.
    @inlinable package func item(_ index: Int, in bytes: borrowing Span<UInt8>) -> Self? {
        var place = firstItemPlace
        var remaining = index
        while let item = nextItem(&place, in: bytes) {
            if remaining == 0 { return item }
            remaining -= 1
        }
        return nil
    }

    /// Returns the number of this array's items, or `limit` if there are more.
    @inlinable package func itemCount(upTo limit: Int, in bytes: borrowing Span<UInt8>) -> Int {
        var (place, count) = (firstItemPlace, 0)
        while count < limit, nextItem(&place, in: bytes) != nil { count += 1 }
        return count
    }
}

extension BSON: PathNode {
    @inlinable package func shape(in bytes: borrowing Span<UInt8>) -> NodeShape {
        switch self {
        case .document: .object
        case .array: .array
        default: .scalar
        }
    }

    @inlinable package func member(_ path: FilterPath, _ depth: Int, in bytes: borrowing Span<UInt8>) -> BSON? {
        guard case .document(let document) = self else { return nil }
        return document[path.names[depth]]
    }

    @inlinable package var firstItemPlace: Int { 0 }

    @inlinable package func nextItem(_ place: inout Int, in bytes: borrowing Span<UInt8>) -> BSON? {
        guard case .array(let items) = self, place < items.count else { return nil }
        defer { place += 1 }
        return items[place]
    }
}

// A value of a stored body, read without a copy.
extension JSONBElement: PathNode {
    @inlinable package func shape(in bytes: borrowing Span<UInt8>) -> NodeShape {
        switch type {
        case JSONBType.array: .array
        case JSONBType.object: isDocument(in: bytes) ? .object : .scalar
        default: .scalar
        }
    }

    @inlinable package func member(_ path: FilterPath, _ depth: Int, in bytes: borrowing Span<UInt8>) -> JSONBElement? {
        let name = path.bytes[depth]
        return member(name.span, in: bytes)
    }

    @inlinable package var firstItemPlace: Int { start }

    @inlinable package func nextItem(_ place: inout Int, in bytes: borrowing Span<UInt8>) -> JSONBElement? {
        guard place < end, let item = JSONBElement(bytes, at: place, limit: end) else { return nil }
        place = item.end
        return item
    }

    /// Returns whether the element, which must be an object, represents a document, not a value of another type in a
    /// wrapper such as `{"$oid": "…"}`. Only an object whose first name starts with `$` can be a wrapper.
    @inlinable func isDocument(in bytes: borrowing Span<UInt8>) -> Bool {
        guard let name = JSONBElement(bytes, at: start, limit: end), name.start < name.end,
            bytes[name.start] == UInt8(ascii: "$")
        else { return true }
        return isDocumentByValue(in: bytes)
    }

    @usableFromInline func isDocumentByValue(in bytes: borrowing Span<UInt8>) -> Bool {
        if case .document = StoredValue(self, in: bytes) { true } else { false }
    }
}

/// The shape of a value, as far as it matters to a path that leads through the value.
@usableFromInline package enum NodeShape: Sendable {
    case object
    case array
    case scalar
}
