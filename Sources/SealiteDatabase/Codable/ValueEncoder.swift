internal import SealiteValues

/// Encodes `Encodable` values as document values: dates, data and UUIDs in a stored form, decimals exactly, and blobs as
/// blobs.
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
    let form: ValueForm
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ form: ValueForm, _ box: Box = Box(), _ path: [any CodingKey] = []) {
        (self.form, self.box, codingPath) = (form, box, path)
    }

    /// Returns `value` as a document value.
    static func encode(_ value: some Encodable, _ form: ValueForm) throws -> Value {
        let encoder = ValueEncoder(form)
        try encoder.encode(value)
        return encoder.box.value
    }

    func encode(_ value: some Encodable) throws {
        do throws(UnstorableScalar) {
            if let scalar = try form.value(of: value) {
                box.content = .value(scalar)
                return
            }
        } catch {
            throw EncodingError.invalidValue(value, .init(codingPath: codingPath, debugDescription: error.reason))
        }
        switch value {
        case let value as Blob: box.content = .value(.blob(value))
        case let value as Value: box.content = .value(value)
        case let value as DictionaryObject: box.content = .value(.dictionary(value))
        case let value as ArrayObject: box.content = .value(.array(value))
        default: try value.encode(to: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .empty = box.content { box.content = .dictionary([]) }
        return KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .empty = box.content { box.content = .array([]) }
        return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    /// Returns the encoder of a member or an item.
    private func below(_ box: Box, _ key: any CodingKey) -> ValueEncoder { ValueEncoder(form, box, codingPath + [key]) }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        private func encoder(_ key: any CodingKey) -> ValueEncoder {
            encoder.below(encoder.box.member(key.stringValue), key)
        }

        mutating func encodeNil(forKey key: Key) { encoder.box.member(key.stringValue).content = .value(.null) }

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
        let encoder: ValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.box.count }

        private func next() -> ValueEncoder {
            let index = IndexKey(intValue: encoder.box.count)
            return encoder.below(encoder.box.item(), index)
        }

        mutating func encodeNil() { encoder.box.item().content = .value(.null) }
        mutating func encode(_ value: some Encodable) throws { try next().encode(value) }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { next() }
    }

    struct Single: SingleValueEncodingContainer {
        let encoder: ValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        private func set(_ value: Value) { encoder.box.content = .value(value) }

        mutating func encodeNil() { set(.null) }
        mutating func encode(_ value: Bool) { set(.boolean(value)) }
        mutating func encode(_ value: String) { set(.string(value)) }

        mutating func encode(_ value: Double) {
            set(value.isFinite || encoder.form == .text ? Value(value) : .notFinite(value))
        }

        mutating func encode(_ value: Float) {
            guard value.isFinite else { return encode(Double(value)) }
            set(.number(Number(json: DoubleText.text(of: value)) ?? Number(Double(value))))
        }

        mutating func encode(_ value: Int) { set(Value(value)) }
        mutating func encode(_ value: Int8) { set(Value(value)) }
        mutating func encode(_ value: Int16) { set(Value(value)) }
        mutating func encode(_ value: Int32) { set(Value(value)) }
        mutating func encode(_ value: Int64) { set(Value(value)) }
        mutating func encode(_ value: UInt) { set(Value(value)) }
        mutating func encode(_ value: UInt8) { set(Value(value)) }
        mutating func encode(_ value: UInt16) { set(Value(value)) }
        mutating func encode(_ value: UInt32) { set(Value(value)) }
        mutating func encode(_ value: UInt64) { set(Value(value)) }
        mutating func encode(_ value: some Encodable) throws { try encoder.encode(value) }
    }
}
