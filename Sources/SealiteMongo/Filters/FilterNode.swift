internal import SealiteJSON
internal import SealiteValues

/// The shape of a value for a path that leads through it.
enum NodeShape: Sendable {
    case object
    case array
    case scalar
}

/// A value that filters look at: one in memory, or one that lies in a stored body and is read in place.
///
/// The bytes are the ones that a stored value lies in; a value in memory takes no notice of them.
protocol FilterNode {
    /// The value's shape; values that are stored as objects with a name such as `$oid` are scalars.
    func shape(in bytes: borrowing Span<UInt8>) -> NodeShape
    /// The value of an object's member; nil where it is missing.
    func member(_ step: FilterPath.Step, in bytes: borrowing Span<UInt8>) -> Self?
    /// The place in front of an array's first item, for `nextItem`.
    var firstItemPlace: Int { get }
    /// The item of an array at a place, which moves to the next one; nil at the end.
    func nextItem(_ place: inout Int, in bytes: borrowing Span<UInt8>) -> Self?
    /// The value's type; nil for damaged bytes.
    func type(in bytes: borrowing Span<UInt8>) -> BSONType?
    /// The order of the value against a constant: negative, 0 or positive.
    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int
    /// The order of the value against a constant of the same type, all numbers being one; nil where it has another type, or is NaN.
    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int?
    /// The value itself; damaged bytes are undefined.
    func value(in bytes: borrowing Span<UInt8>) -> BSON
    /// The document of which the value is the root.
    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row
}

extension FilterNode {
    /// The item of an array at an index; nil past the end.
    func item(_ index: Int, in bytes: borrowing Span<UInt8>) -> Self? {
        var place = firstItemPlace
        var remaining = index
        while let item = nextItem(&place, in: bytes) {
            if remaining == 0 { return item }
            remaining -= 1
        }
        return nil
    }

    /// The number of an array's items, counted up to `limit`.
    func itemCount(upTo limit: Int, in bytes: borrowing Span<UInt8>) -> Int {
        var (place, count) = (firstItemPlace, 0)
        while count < limit, nextItem(&place, in: bytes) != nil { count += 1 }
        return count
    }
}

extension BSON: FilterNode {
    func shape(in bytes: borrowing Span<UInt8>) -> NodeShape {
        switch self {
        case .document: .object
        case .array: .array
        default: .scalar
        }
    }

    func member(_ step: FilterPath.Step, in bytes: borrowing Span<UInt8>) -> BSON? {
        guard case .document(let document) = self else { return nil }
        return document[step.name]
    }

    var firstItemPlace: Int { 0 }

    func nextItem(_ place: inout Int, in bytes: borrowing Span<UInt8>) -> BSON? {
        guard case .array(let items) = self, place < items.count else { return nil }
        defer { place += 1 }
        return items[place]
    }

    func type(in bytes: borrowing Span<UInt8>) -> BSONType? { type }

    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int { compared(to: constant) }

    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int? {
        guard type.rank == constant.type.rank, !isNotANumber else { return nil }
        return compared(to: constant)
    }

    func value(in bytes: borrowing Span<UInt8>) -> BSON { self }

    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row {
        guard case .document(let document) = self else { return Row(MongoDocument()) }
        return Row(document)
    }
}
