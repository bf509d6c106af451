internal import SealiteJSON
internal import SealiteValues

// A value of a stored body, read without a copy.
extension JSONBElement: FilterNode {
    func type(in bytes: borrowing Span<UInt8>) -> BSONType? { StoredValue(self, in: bytes).type }

    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int {
        StoredValue.compare(self, in: bytes, to: constant)
    }

    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int? {
        StoredValue.compare(self, in: bytes, toEqualType: constant)
    }

    func value(in bytes: borrowing Span<UInt8>) -> BSON { BSON(stored: self, in: bytes) ?? .undefined }

    @inline(__always)
    func isDirectly(fulfilling condition: PathCondition, in bytes: borrowing Span<UInt8>) -> Bool? {
        condition.direct.flatMap { $0.decision(condition.path, self, in: bytes) }
    }

    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row {
        guard let id else { return value(in: bytes).row(id: nil, in: bytes) }
        return Row(body: (0..<bytes.count).map { bytes[$0] }, id: id)
    }
}
