internal import SealiteJSON

/// A container of the items of an array that is being decoded.
struct UnkeyedValueContainer: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    private let items: [BSON]
    private(set) var currentIndex = 0

    init(_ decoder: ValueDecoder, _ items: [BSON]) { (self.decoder, self.items) = (decoder, items) }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    /// Decodes the next item; on an error the position doesn't change.
    private mutating func next<T>(_ type: T.Type, _ body: (ValueDecoder) throws -> T) throws -> T {
        let key = NameKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(codingPath: codingPath + [key], debugDescription: "the array has no more items"))
        }
        let value = try body(decoder.below(items[currentIndex], key))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, items[currentIndex].isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.read(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next(KeyedDecodingContainer<NestedKey>.self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}
