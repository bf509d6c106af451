internal import SealiteJSON
internal import SealiteValues

/// A value that filters look at.
protocol FilterNode: PathNode {
    /// The value's type; nil for damaged bytes.
    func type(in bytes: borrowing Span<UInt8>) -> BSONType?
    /// The order of the value against a constant: negative, 0 or positive.
    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int
    /// The order of the value against a constant of the same type, all numbers being one; nil if it has another type, or is NaN.
    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int?
    /// The value itself; damaged bytes are undefined.
    func value(in bytes: borrowing Span<UInt8>) -> BSON
    /// Returns a Boolean value that says whether the value fulfils a condition whose direct test decides that; nil if it doesn't.
    func isDirectly(fulfilling condition: PathCondition, in bytes: borrowing Span<UInt8>) -> Bool?
    /// The document of which the value is the root.
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
