/// A path through documents and arrays in MongoDB's filters: names joined by dots, some of which may be indices of
/// arrays.
@usableFromInline package struct FilterPath: Sendable {
    // Names, UTF-8 and indices are separate arrays, since a traversal would copy an element of an array of structures
    // at each name.
    /// The names; an empty path denotes the value itself, which isn't expanded if it is an array.
    @usableFromInline package let names: [String]
    /// The path's names in UTF-8, in the same order as `names`.
    @usableFromInline package let bytes: [[UInt8]]
    /// For each name, the array index that it denotes; nil for a name that isn't an index.
    @usableFromInline package let indexes: [Int?]
    /// A Boolean value that says whether the path begins with a document's `_id`.
    package let isID: Bool
    /// The text of the whole path; `tail` and `prefix(_:)` keep the text of the path from which they were made.
    package let text: String

    /// The maximum number of names of a path.
    package static let maximumCount = 200
    /// The maximum number of digits of an array index.
    private static let maximumDigitCount = 9

    /// Creates the path of a text in UTF-8; nil if it has more than ``maximumCount`` names.
    package init?(_ text: some Collection<UInt8>) { self.init(bytes: Array(text)) }

    // Not generic: each filter is parsed once, so that a general form would take much of the time of a short find.
    private init?(bytes text: [UInt8]) {
        var names: [[UInt8]] = []
        var start = 0
        for index in text.indices where text[index] == UInt8(ascii: ".") {
            guard names.count < Self.maximumCount else { return nil }
            names.append(Array(text[start..<index]))
            start = index + 1
        }
        names.append(start == 0 ? text : Array(text[start...]))
        guard names.count <= Self.maximumCount else { return nil }
        self.init(names, String(decoding: text, as: UTF8.self), isID: names[0] == Self.id)
    }

    private static let id = Array("_id".utf8)

    private init(_ bytes: [[UInt8]], _ text: String, isID: Bool) {
        (self.bytes, self.text, self.isID) = (bytes, text, isID)
        names = bytes.map { String(decoding: $0, as: UTF8.self) }
        indexes = bytes.map { Self.index(of: $0) }
    }

    /// The number of the path's names.
    @inlinable package var count: Int { indexes.count }

    /// The empty path, which leads to the value itself.
    package static let root = FilterPath([], "", isID: false)

    /// The path without its first name.
    package var tail: FilterPath { FilterPath(Array(bytes.dropFirst()), text, isID: false) }

    /// Returns the path of the first `length` names.
    package func prefix(_ length: Int) -> FilterPath { FilterPath(Array(bytes.prefix(length)), text, isID: isID) }

    /// Returns the array index that a name denotes: up to 9 digits without a leading 0; nil for other names.
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
