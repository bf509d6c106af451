internal import FoundationEssentials

/// Encodes `Encodable` values as document values: dates as ISO 8601 text, data as Base64, decimals exactly, and blobs
/// as blobs.
struct ValueEncoder: Encoder {
    /// The value that is being encoded, shared by the encoding containers that fill it.
    final class Box {
        enum Content {
            case empty
            case value(Value)
            case array([Box])
            case dictionary([(key: String, box: Box)])
        }

        var content = Content.empty

        var value: Value {
            switch content {
            case .empty: .dictionary(DictionaryObject())
            case .value(let value): value
            case .array(let items): .array(ArrayObject(items.map(\.value)))
            case .dictionary(let members): .dictionary(DictionaryObject(members.map { ($0.key, $0.box.value) }))
            }
        }

        func member(_ key: String) -> Box {
            let box = Box()
            if case .dictionary(var members) = content {
                // The stored content is emptied first, so that the array isn't shared and is appended to without a
                // copy.
                content = .empty
                members.append((key, box))
                content = .dictionary(members)
            } else {
                content = .dictionary([(key, box)])
            }
            return box
        }

        func item() -> Box {
            let box = Box()
            if case .array(var items) = content {
                content = .empty
                items.append(box)
                content = .array(items)
            } else {
                content = .array([box])
            }
            return box
        }

        var count: Int {
            if case .array(let items) = content { items.count } else { 0 }
        }
    }

    let box: Box
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ box: Box = Box(), _ path: [any CodingKey] = []) {
        self.box = box
        codingPath = path
    }

    /// Returns `value` as a document value.
    static func encode(_ value: some Encodable) throws -> Value {
        let encoder = ValueEncoder()
        try encoder.encode(value)
        return encoder.box.value
    }

    func encode(_ value: some Encodable) throws {
        switch value {
        case let value as Date: box.content = .value(.date(value))
        case let value as Data: box.content = .value(.string(value.base64EncodedString()))
        case let value as Decimal:
            guard let number = Number(json: value.description) else {
                throw EncodingError.invalidValue(
                    value, .init(codingPath: codingPath, debugDescription: "JSON can't represent NaN"))
            }
            box.content = .value(.number(number))
        case let value as Blob: box.content = .value(.blob(value))
        case let value as Value: box.content = .value(value)
        case let value as DictionaryObject: box.content = .value(.dictionary(value))
        case let value as ArrayObject: box.content = .value(.array(value))
        default: try value.encode(to: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .empty = box.content { box.content = .dictionary([]) }
        return KeyedEncodingContainer(Keyed<Key>(box: box, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .empty = box.content { box.content = .array([]) }
        return Unkeyed(box: box, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(box: box, codingPath: codingPath) }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let box: Box
        let codingPath: [any CodingKey]

        private func encoder(_ key: any CodingKey) -> ValueEncoder {
            ValueEncoder(box.member(key.stringValue), codingPath + [key])
        }

        mutating func encodeNil(forKey key: Key) { box.member(key.stringValue).content = .value(.null) }

        mutating func encode(_ value: some Encodable, forKey key: Key) throws { try encoder(key).encode(value) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder(key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder { encoder(IndexKey(stringValue: "super")) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
    }

    struct Unkeyed: UnkeyedEncodingContainer {
        let box: Box
        let codingPath: [any CodingKey]
        var count: Int { box.count }

        private func encoder() -> ValueEncoder {
            let index = IndexKey(intValue: box.count)
            return ValueEncoder(box.item(), codingPath + [index])
        }

        mutating func encodeNil() { box.item().content = .value(.null) }
        mutating func encode(_ value: some Encodable) throws { try encoder().encode(value) }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoder().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { encoder() }
    }

    struct Single: SingleValueEncodingContainer {
        let box: Box
        let codingPath: [any CodingKey]

        mutating func encodeNil() { box.content = .value(.null) }
        mutating func encode(_ value: Bool) { box.content = .value(.boolean(value)) }
        mutating func encode(_ value: String) { box.content = .value(.string(value)) }
        mutating func encode(_ value: Double) { box.content = .value(Value(value)) }

        mutating func encode(_ value: Float) {
            box.content = .value(.number(Number(json: value.description) ?? Number(Double(value))))
        }

        private func set(_ value: some BinaryInteger) { box.content = .value(Value(value)) }
        mutating func encode(_ value: Int) { set(value) }
        mutating func encode(_ value: Int8) { set(value) }
        mutating func encode(_ value: Int16) { set(value) }
        mutating func encode(_ value: Int32) { set(value) }
        mutating func encode(_ value: Int64) { set(value) }
        mutating func encode(_ value: UInt) { set(value) }
        mutating func encode(_ value: UInt8) { set(value) }
        mutating func encode(_ value: UInt16) { set(value) }
        mutating func encode(_ value: UInt32) { set(value) }
        mutating func encode(_ value: UInt64) { set(value) }
        mutating func encode(_ value: some Encodable) throws { try ValueEncoder(box, codingPath).encode(value) }
    }
}
