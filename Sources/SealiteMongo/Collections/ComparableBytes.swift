internal import SealiteDatabase
internal import SealiteValues

/// Bytes that are compared lexicographically.
struct ComparableBytes: Comparable, Sendable {
    let bytes: [UInt8]

    static func < (left: ComparableBytes, right: ComparableBytes) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
