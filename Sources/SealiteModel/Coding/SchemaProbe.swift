internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A decoder that records the requests of a type, and returns sample values.
final class SchemaProbe: Decoder {
    /// The structure of a type, as far as its requests have shown it.
    enum Outcome {
        case nothing
        /// A value that isn't a container, with its schema type and plan.
        case single(Shape)
        /// An array with the shape (schema type and plan) of its items; nil until an item is requested.
        case items(Shape?)
        case members(MemberRecord)
    }

    let deriver: SchemaDeriver
    /// The type's name in schemas.
    let name: String
    private let declaration: ModelDeclaration?
    /// The stored form of a value of the type; nil if there is none.
    private let stored: StoredElement?
    var outcome = Outcome.nothing

    init(_ deriver: SchemaDeriver, _ name: String, _ declaration: ModelDeclaration?, _ stored: StoredElement?) {
        (self.deriver, self.name, self.declaration, self.stored) = (deriver, name, declaration, stored)
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if case .members(let record) = outcome { return KeyedDecodingContainer(ProbedMembers(record: record)) }
        let record = MemberRecord(deriver, name, declaration, stored)
        outcome = .members(record)
        return KeyedDecodingContainer(ProbedMembers(record: record))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        outcome = .items(nil)
        return ProbedItems(probe: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { ProbedSingle(probe: self, stored: stored) }
}

/// The keyed container of a decoder that records which members a type requests.
private struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let record: MemberRecord

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool {
        record.askedForNil = key.stringValue
        return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        // The standard library decodes optional numbers, strings and Booleans by checking for nil first.
        try record.add(type, key.stringValue, isOptional: record.askedForNil == key.stringValue)
        return try record.sample(of: type, key.stringValue)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try record.add(type, key.stringValue, isOptional: true)
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { record.part("super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { record.part(key.stringValue) }
}

/// The unkeyed container of a decoder that records which items a type requests. It is empty, so that types that read
/// all items finish.
private struct ProbedItems: UnkeyedDecodingContainer {
    let probe: SchemaProbe

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    private(set) var currentIndex = 0

    init(probe: SchemaProbe) { self.probe = probe }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let shape = try probe.deriver.shape(of: type, member: String(currentIndex))
        if case .items(let known?) = probe.outcome, known.type != shape.type {
            throw probe.deriver.underivable("'\(probe.name)' is a list whose items have different types")
        }
        probe.outcome = .items(shape)
        currentIndex += 1
        return try probe.deriver.sample(of: type, from: nil)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { throw unnamed }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unnamed }
    mutating func superDecoder() throws -> any Decoder { throw unnamed }

    private var unnamed: SchemaError { probe.deriver.underivable("'\(probe.name)' is a list of nested containers") }
}

/// The single-value container of a decoder that records which value a type requests.
private struct ProbedSingle: SingleValueDecodingContainer {
    let probe: SchemaProbe
    let stored: StoredElement?

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        probe.outcome = .single(try probe.deriver.shape(of: type, member: ""))
        return try probe.deriver.sample(of: type, from: stored)
    }
}
