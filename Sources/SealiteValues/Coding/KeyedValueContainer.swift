internal import SealiteJSON

/// A container of the members of a document that is being decoded.
struct KeyedValueContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    private let document: MongoDocument
    /// The index of each member by its name; if a name occurs twice, the index of the first member with it.
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
