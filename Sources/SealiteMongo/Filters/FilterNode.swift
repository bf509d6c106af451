internal import SealiteJSON
internal import SealiteValues

/// A value that filters test: a decoded value, or an element of a stored body, whose bytes the methods take as `bytes`.
protocol FilterNode: PathNode {
    /// Returns the value's type; nil for damaged bytes.
    func type(in bytes: borrowing Span<UInt8>) -> BSONType?
    /// Compares the value with a constant in the order of values of all types: the result is negative, 0 or positive if
    /// the value comes before, is equal to or comes after the constant.
    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int
    /// Compares the value with a constant as `order(against:in:)` does; nil if the value has another type, where all
    /// numeric types count as one, or is NaN.
    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int?
    /// Returns the decoded value; undefined for damaged bytes.
    func value(in bytes: borrowing Span<UInt8>) -> BSON
    /// Returns a Boolean value that says whether the document with this root fulfils a condition; nil if the
    /// condition's fast path, its `DirectTest`, doesn't decide this.
    func isDirectly(fulfilling condition: PathCondition, in bytes: borrowing Span<UInt8>) -> Bool?
    /// Returns the document of which the value is the root, with `id` as the `_id` of a stored document.
    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row
}

extension BSON: FilterNode {
    func type(in bytes: borrowing Span<UInt8>) -> BSONType? { type }

    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int { compared(to: constant) }

    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int? {
        guard type.rank == constant.type.rank, !isNotANumber else { return nil }
        return compared(to: constant)
    }

    func value(in bytes: borrowing Span<UInt8>) -> BSON { self }

    func isDirectly(fulfilling condition: PathCondition, in bytes: borrowing Span<UInt8>) -> Bool? { nil }

    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row {
        guard case .document(let document) = self else { return Row(MongoDocument()) }
        return Row(document)
    }
}
