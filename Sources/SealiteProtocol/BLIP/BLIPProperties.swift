/// The properties of a BLIP message: names and values in sending order.
///
/// Encoded as `name NUL value NUL …` in UTF-8. Names are unique; none may contain NUL.
package struct BLIPProperties: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The names with their values, in sending order.
    package private(set) var pairs: [Pair] = []

    /// The name of a property and its value.
    package struct Pair: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init() {}

    /// Creates an empty list with reserved capacity.
    init(minimumCapacity: Int) { pairs.reserveCapacity(minimumCapacity) }

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a property; nil if there is none. Setting nil removes the property. A name or a value that contains
    /// a NUL is truncated before the NUL.
    package subscript(name: String) -> String? {
        get { pairs.first { $0.name == name }?.value }
        set {
            let name = Self.cut(name)
            let index = pairs.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): pairs[index] = Pair(name: name, value: Self.cut(value))
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append(Pair(name: name, value: Self.cut(value)))
            case (nil, nil): break
            }
        }
    }

    /// A Boolean value that says whether there is no property.
    package var isEmpty: Bool { pairs.isEmpty }

    /// The length of the encoded pairs in bytes, without the length prefix.
    package var byteCount: Int { pairs.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 } }

    // A NUL inside a value would let it forge further properties.
    private static func cut(_ text: String) -> String {
        guard let end = text.utf8.firstIndex(of: 0) else { return text }
        return String(text[..<end])
    }
}

extension BLIPProperties {
    /// Returns the encoded pairs with their length prefix, the beginning of a message.
    package func encoded() -> [UInt8] {
        let byteCount = byteCount
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + 3)
        BLIPVarint.append(UInt64(byteCount), to: &bytes)
        for pair in pairs {
            bytes.append(contentsOf: pair.name.utf8)
            bytes.append(0)
            bytes.append(contentsOf: pair.value.utf8)
            bytes.append(0)
        }
        assert(bytes.count == BLIPVarint.byteCount(of: UInt64(byteCount)) + byteCount, "the prefix says what follows")
        return bytes
    }

    /// Parses properties from exactly `bytes`, without the length prefix.
    ///
    /// - Throws: `badProperties` if the last byte is not NUL, a value is missing, text is not UTF-8, or a name occurs
    ///   twice.
    package init(parsing bytes: ArraySlice<UInt8>) throws(BLIPError) {
        guard let last = bytes.last else { return }
        guard last == 0 else { throw BLIPError(.badProperties, "the properties of a message don't end with NUL") }
        var names: Set<String> = []
        pairs.reserveCapacity(8)
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let name = try field(bytes, &start)
            guard start < bytes.endIndex else {
                throw BLIPError(.badProperties, "the last of a message's \(pairs.count + 1) properties has no value")
            }
            if pairs.count == Self.comparedCount { names = Set(pairs.map(\.name)) }
            let isNew =
                pairs.count < Self.comparedCount ? !pairs.contains { $0.name == name } : names.insert(name).inserted
            guard isNew else {
                throw BLIPError(
                    .badProperties, "property \(pairs.count + 1) of a message has the name of an earlier one")
            }
            pairs.append(Pair(name: name, value: try field(bytes, &start)))
        }
    }

    /// The number of properties up to which each name is compared with all earlier ones to find duplicates. If there
    /// are more, which only a hostile peer sends, their names are put in a set.
    private static let comparedCount = 16

    /// Returns the text from `start` to the next NUL, and advances `start` past the NUL.
    private func field(_ bytes: ArraySlice<UInt8>, _ start: inout Int) throws(BLIPError) -> String {
        let end = bytes[start...].firstIndex(of: 0) ?? bytes.endIndex
        guard let text = String(utf8: bytes[start..<end]) else {
            throw BLIPError(.badProperties, "the name or value of property \(pairs.count + 1) of a message isn't UTF-8")
        }
        start = end + 1
        return text
    }
}
