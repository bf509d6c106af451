internal import SealiteJSON

/// A container of the members of a document that is being decoded.
struct KeyedValueContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    private let document: MongoDocument
    /// The indices of the members by name; the first one if a name occurs twice.
    private let places: [ExactText: Int]

    init(_ decoder: ValueDecoder, _ document: MongoDocument) {
        (self.decoder, self.document) = (decoder, document)
        places = Dictionary(
            document.members.enumerated().map { (ExactText($1.key), $0) }, uniquingKeysWith: { first, _ in first })
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { document.keys.compactMap { Key(stringValue: $0) } }

    private func value(_ name: String) -> BSON? {
        places[ExactText(name)].map { document.members[$0].value }
    }

    private func below(_ key: some CodingKey) throws -> ValueDecoder {
        guard let value = value(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: codingPath, debugDescription: "the document has no such member"))
        }
        return decoder.below(value, key)
    }

    func contains(_ key: Key) -> Bool { value(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { value(key.stringValue).map(\.isNil) ?? true }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try below(key).read(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try below(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try below(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try below(NameKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try below(key) }
}

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

/// A container of a single value that is being decoded.
struct SingleValueContainer: SingleValueDecodingContainer {
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value.isNil }
    func decode(_ type: Bool.Type) throws -> Bool { try decoder.boolean() }
    func decode(_ type: String.Type) throws -> String { try decoder.string() }
    func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
    func decode(_ type: Float.Type) throws -> Float { Float(try decoder.double()) }
    func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.integer(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.read(type) }
}
