/// A path through documents and arrays as MongoDB's filters have it: names with points between them, of which some may be places in arrays.
@usableFromInline package struct FilterPath: Sendable {
    // The parts of a name are in arrays of their own: a walk would copy a structure of them at each step.
    /// The names; none leads to the value itself, and doesn't open it where it is an array.
    @usableFromInline package let names: [String]
    /// The names in UTF-8.
    @usableFromInline package let bytes: [[UInt8]]
    /// The places in an array that the names stand for; nil if one stands for none.
    @usableFromInline package let indexes: [Int?]
    /// True if the path leads to a document's `_id`, or into it.
    package let isID: Bool
    /// The path's text.
    package let text: String

    /// The number of names that a path may have.
    package static let maximumCount = 200
    /// The number of digits of a place in an array.
    private static let maximumDigitCount = 9

    /// The path of a text in UTF-8; nil if it has more than ``maximumCount`` names.
    package init?(_ text: some Collection<UInt8>) {
        let names = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        guard names.count <= Self.maximumCount else { return nil }
        self.init(names, String(decoding: text, as: UTF8.self), isID: names.first?.elementsEqual("_id".utf8) ?? false)
    }

    private init(_ bytes: [[UInt8]], _ text: String, isID: Bool) {
        (self.bytes, self.text, self.isID) = (bytes, text, isID)
        names = bytes.map { String(decoding: $0, as: UTF8.self) }
        indexes = bytes.map { Self.index(of: $0) }
    }

    /// The number of names.
    @inlinable package var count: Int { indexes.count }

    /// The path to the value itself.
    package static let root = FilterPath([], "", isID: false)

    /// The path without its first name.
    package var tail: FilterPath { FilterPath(Array(bytes.dropFirst()), text, isID: false) }

    /// The place in an array that a name stands for: digits without a 0 in front.
    private static func index(of name: [UInt8]) -> Int? {
        guard !name.isEmpty, name.count <= maximumDigitCount, name.count == 1 || name[0] != UInt8(ascii: "0") else {
            return nil
        }
        var index = 0
        for digit in name {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            index = index * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return index
    }
}
