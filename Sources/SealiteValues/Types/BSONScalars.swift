internal import SealiteBase

/// Bytes with a subtype.
public struct Binary: Sendable, Hashable {
    /// The subtype: 0 generic, 3 and 4 UUID, 5 MD5, 128 and above for applications.
    public let subtype: UInt8
    /// The bytes.
    public let bytes: [UInt8]

    /// Creates bytes with a subtype.
    public init(_ bytes: [UInt8], subtype: UInt8 = 0) { (self.bytes, self.subtype) = (bytes, subtype) }
}

extension Binary {
    /// The subtype of the bytes of a UUID: 4.
    public static let uuidSubtype: UInt8 = 4

    /// Creates the bytes of a UUID in the form of `8-4-4-4-12` hexadecimal digits; nil for any other text.
    public init?(uuid text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            let bytes = Hexadecimal.bytes(of: String(decoding: groups.joined(), as: UTF8.self))
        else { return nil }
        self.init(bytes, subtype: Self.uuidSubtype)
    }

    /// The bytes as the text of a UUID with lowercase digits; nil if the subtype isn't 4 or there aren't 16 bytes.
    public var uuidText: String? {
        subtype == Self.uuidSubtype && bytes.count == 16 ? Hexadecimal.uuid(bytes) : nil
    }
}

/// A PCRE regular expression with its options.
public struct Regex: Sendable, Hashable {
    /// The pattern.
    public let pattern: String
    /// The options, letters in alphabetical order: `i` (upper and lower case match each other), `m` (`^` and `$` also
    /// match at line boundaries), `s` (`.` also matches line ends), `x` (white space in the pattern is ignored), `l`
    /// and `u` (no effect).
    public let options: String

    /// Creates a regular expression; the options are sorted.
    public init(_ pattern: String, options: String = "") {
        self.pattern = pattern
        self.options = String(String.UnicodeScalarView(options.unicodeScalars.sorted()))
    }

    /// Returns whether two regular expressions have the same pattern and options, byte by byte.
    public static func == (left: Regex, right: Regex) -> Bool {
        left.pattern.utf8.elementsEqual(right.pattern.utf8) && left.options.utf8.elementsEqual(right.options.utf8)
    }

    /// Feeds the content to a hasher.
    public func hash(into hasher: inout Hasher) {
        ExactKey.hash(pattern, into: &hasher)
        ExactKey.hash(options, into: &hasher)
    }
}

/// A timestamp for MongoDB's internal use: seconds since 1970 and an increasing number within the second.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// The seconds since 1970.
    public let seconds: UInt32
    /// The number of the timestamp within its second.
    public let increment: UInt32

    /// Creates a timestamp.
    public init(seconds: UInt32, increment: UInt32) { (self.seconds, self.increment) = (seconds, increment) }

    /// Returns whether the left timestamp is the earlier one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.increment) < (right.seconds, right.increment)
    }
}

/// A reference to a document by the name of its collection and its ObjectID, deprecated in BSON.
public struct DBPointer: Sendable, Hashable {
    /// The name of the database, a dot, and the name of the collection.
    public let collection: String
    /// The document's ObjectID.
    public let id: ObjectID

    /// Creates a reference.
    public init(_ collection: String, _ id: ObjectID) { (self.collection, self.id) = (collection, id) }
}

/// A decimal number of up to 34 digits: IEEE 754-2008 decimal128 in the binary integer encoding.
///
/// Two numbers are equal (`==`) if their encodings are equal: 1.0 isn't 1.00.
public struct Decimal128: Sendable, Hashable {
    /// The upper 64 bits of the encoding.
    public let high: UInt64
    /// The lower 64 bits of the encoding.
    public let low: UInt64

    /// Creates a number from its encoding.
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// The hashing of strings by their bytes: Swift's own equality treats canonically equivalent strings as equal, BSON
/// doesn't.
enum ExactKey {
    static func hash(_ text: String, into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}
