internal import SealiteJSON
internal import SealiteValues

extension BSON {
    init(stored element: JSONBElement, in bytes: borrowing Span<UInt8>) { self = .null }
}
