internal import SealiteJSON
internal import SealiteValues

/// A path into the bodies of stored documents, by the rules of expressions: on an array, it continues in each of the
/// array's documents.
struct BodyPath: Sendable {
    private let names: [String]
    /// The names in UTF-8.
    private let steps: [[UInt8]]

    /// Creates a path of names; nil for a path into the `_id` and for the empty path, the whole document.
    init?(_ names: [String]) {
        guard let first = names.first, first != "_id" else { return nil }
        (self.names, steps) = (names, names.map { Array($0.utf8) })
    }

    /// Returns the element at the path below `root`, if the path leads through objects only; nil if there is none, or
    /// an array is on the path.
    @inline(__always)
    func element(in root: JSONBElement, _ bytes: borrowing Span<UInt8>) -> JSONBElement? {
        var element = root
        for step in steps {
            guard let member = element.member(step.span, in: bytes) else { return nil }
            element = member
        }
        return element
    }

    /// Returns the value at the path below `root`; nil if it is missing.
    func value(in root: JSONBElement, _ bytes: borrowing Span<UInt8>) -> BSON? {
        Row.value(of: root, at: names[...], in: bytes)
    }
}
