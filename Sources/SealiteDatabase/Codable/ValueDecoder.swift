package import FoundationEssentials

/// Decodes `Decodable` values from document values exactly: an integer that doesn't fit its type is refused, never
/// truncated.
struct ValueDecoder: Decoder {
    let value: Value
    /// The document's id, which is decoded as the property `id` at the top level if the document has no such property.
    let documentID: String?
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: Value, documentID: String? = nil, path: [any CodingKey] = []) {
        self.value = value
        self.documentID = documentID
        codingPath = path
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let decoded: Any?
        switch type {
        case is Value.Type: decoded = value
        case is DictionaryObject.Type: decoded = value.object
        case is ArrayObject.Type: decoded = value.array
        case is Blob.Type: decoded = value.blob
        case is Date.Type: decoded = value.date
        case is Data.Type: decoded = value.data
        case is UUID.Type: decoded = value.uuid
        case is [UInt8].Type:
            // Without a binary value, an array is the form of the type's own conformance.
            guard value.array == nil else { return try T(from: self) }
            decoded = value.string == nil ? value.data.map { Array($0) } : nil
        case is URL.Type:
            // An object is the form of the type's own conformance.
            guard let text = value.string else { return try T(from: self) }
            decoded = URL(string: text)
        case is Decimal.Type:
            guard let number = value.exactNumber else { throw mismatch(type) }
            guard let decimal = number.exactDecimal else { throw inexact(type) }
            decoded = decimal
        default: return try T(from: self)
        }
        guard let result = decoded as? T else { throw mismatch(type) }
        return result
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "the stored value can't be read as \(type)"))
    }

    func inexact(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "\(type) can't represent the stored number"))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.object else { throw mismatch(DictionaryObject.self) }
        return KeyedDecodingContainer(
            Keyed<Key>(members: members, documentID: documentID, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let array = value.array else { throw mismatch(ArrayObject.self) }
        return Unkeyed(items: array, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: DictionaryObject
        let documentID: String?
        let codingPath: [any CodingKey]

        private func value(_ key: any CodingKey) -> Value? {
            if let value = members.value(forKey: key.stringValue) { return value }
            return key.stringValue == "id" ? documentID.map { .string($0) } : nil
        }

        private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
            guard let value = value(key) else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: codingPath, debugDescription: "there is no such property"))
            }
            return ValueDecoder(value, path: codingPath + [key])
        }

        var allKeys: [Key] {
            var names = members.keys
            if documentID != nil, !names.contains("id") { names.append("id") }
            return names.compactMap { Key(stringValue: $0) }
        }

        func contains(_ key: Key) -> Bool { value(key) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).value == .null }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try decoder(IndexKey(stringValue: "super")) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
    }

    struct Unkeyed: UnkeyedDecodingContainer {
        let items: ArrayObject
        let codingPath: [any CodingKey]
        var currentIndex = 0

        var count: Int? { items.count }
        var isAtEnd: Bool { currentIndex >= items.count }

        private mutating func next() throws -> ValueDecoder {
            let path = codingPath + [IndexKey(intValue: currentIndex)]
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    Value.self, .init(codingPath: path, debugDescription: "the array has no more items"))
            }
            defer { currentIndex += 1 }
            return ValueDecoder(items[currentIndex], path: path)
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, items[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    struct Single: SingleValueDecodingContainer {
        let decoder: ValueDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.value == .null }

        func decode(_ type: Bool.Type) throws -> Bool {
            guard case .boolean(let value) = decoder.value else { throw decoder.mismatch(type) }
            return value
        }

        func decode(_ type: String.Type) throws -> String {
            guard let text = decoder.value.string else { throw decoder.mismatch(type) }
            return text
        }

        func decode(_ type: Double.Type) throws -> Double {
            guard let number = decoder.value.exactNumber else {
                guard let value = decoder.value.wrappedDouble else { throw decoder.mismatch(type) }
                return value
            }
            guard number.doubleValue.isFinite else { throw decoder.inexact(type) }
            return number.doubleValue
        }

        func decode(_ type: Float.Type) throws -> Float {
            let double = try decode(Double.self)
            let value = Float(double)
            guard value.isFinite || !double.isFinite else { throw decoder.inexact(type) }
            return value
        }

        private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
            // A document's id is text, and may be decoded as the number that it was made from, also from a query's row.
            if let text = decoder.value.string, codingPath.count == 1, codingPath[0].stringValue == "id",
                let value = T(text)
            {
                return value
            }
            guard let number = decoder.value.exactNumber else { throw decoder.mismatch(type) }
            let exact = number.exactInt64.flatMap { T(exactly: $0) } ?? number.exactUInt64.flatMap { T(exactly: $0) }
            guard let exact else { throw decoder.inexact(type) }
            return exact
        }

        func decode(_ type: Int.Type) throws -> Int { try integer(type) }
        func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
        func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
        func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
        func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
        func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
        func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
        func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
        func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
        func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
    }
}

/// A coding key for indexes of arrays, for `super`, and for members of any name.
struct IndexKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

// Converts numbers exactly for coders that know only Swift's number types; a number that no such type holds is refused.
extension Number {
    /// Creates a number from the double that a decoder returned for a JSON number, and from the decimal that it
    /// returned for the same number, if there is one. The decimal is used only if it is more exact than the double.
    init(_ value: Double, given decimal: Decimal?) {
        // Even a decimal may be too small for the number.
        guard let decimal, let exact = Number(json: decimal.description), exact.doubleValue == value,
            !exact.hasValue(of: Number(value))
        else {
            self.init(value)
            return
        }
        self = exact
    }

    /// Writes the number exactly into the container of an encoder that knows only Swift's number types.
    ///
    /// - Throws: `EncodingError` for a number that neither an integer of 64 bits nor a double nor a decimal holds
    ///   exactly.
    func encode(into container: inout any SingleValueEncodingContainer, _ path: [any CodingKey]) throws {
        if let integer = exactInt64 { return try container.encode(integer) }
        if let integer = exactUInt64 { return try container.encode(integer) }
        if case .double(let value) = storage { return try container.encode(value) }
        let nearest = doubleValue
        if nearest.isFinite, hasValue(of: Number(nearest)) { return try container.encode(nearest) }
        if let decimal = exactDecimal { return try container.encode(decimal) }
        throw EncodingError.invalidValue(
            self,
            .init(
                codingPath: path,
                debugDescription: "neither a 64-bit integer nor a Double nor a Decimal holds the number exactly"))
    }

    /// The number as a decimal; nil if no decimal has exactly this value.
    package var exactDecimal: Decimal? {
        guard let decimal = Decimal(string: description) else { return nil }
        return Number(json: decimal.description).map(hasValue) == true ? decimal : nil
    }

    /// Returns whether two numbers are equal, whatever their notation: `1.50` is equal to `15e-1`.
    func hasValue(of other: Number) -> Bool {
        guard let own = significant, let others = other.significant else { return false }
        return own == others
    }

    /// A number as digits without trailing zeros, times a power of ten.
    private struct Significant: Equatable {
        var isNegative: Bool
        var digits: [UInt8]
        var exponent: Int
    }

    private var significant: Significant? {
        var text = Array(description.utf8)[...]
        let isNegative = text.first == 0x2D
        if isNegative { text.removeFirst() }
        var exponent = 0
        if let mark = text.firstIndex(where: { $0 == 0x65 || $0 == 0x45 }) {
            guard let stated = Int(String(decoding: text[(mark + 1)...], as: UTF8.self)), stated.magnitude < 1 << 40
            else { return nil }
            exponent = stated
            text = text[..<mark]
        }
        if let point = text.firstIndex(of: 0x2E) { exponent -= text.endIndex - point - 1 }
        var digits = Array(text.filter { $0 != 0x2E }.drop { $0 == 0x30 })
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { return Significant(isNegative: false, digits: [], exponent: 0) }
        return Significant(isNegative: isNegative, digits: digits, exponent: exponent)
    }
}
