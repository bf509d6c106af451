internal import SealiteBase
internal import SealiteValues

/// A conversion of values to a BSON type, as by `$convert` and `$toInt`.
struct Conversion {
    /// The formats in which binary values are converted to strings and back.
    enum Format: String {
        case base64, base64url, hex, utf8, uuid, auto
    }

    /// The type of the results; nil for one to which nothing can be converted.
    var type: BSONType?
    var subtype: UInt8 = 0
    var format: Format?
    /// A Boolean value that says whether numbers in binary data begin with the most significant byte.
    var isBigEndian = false

    init(type: BSONType, subtype: UInt8 = 0, format: Format? = nil) {
        (self.type, self.subtype, self.format) = (type, subtype, format)
    }

    /// Creates the conversion that the arguments `to`, `format` and `byteOrder` of `$convert` specify.
    init(to target: BSON, format: BSON?, byteOrder: BSON?) throws {
        var (target, subtype) = (target, UInt8(0))
        if case .document(let members) = target {
            let type = try require(members["type"], 9, "$convert needs a 'type' in 'to'.")
            target = type
            if let given = members["subtype"] {
                subtype = try Self.subtype(given)
            }
        }
        type = try Self.type(target)
        self.subtype = subtype
        if !format.isNullish {
            let text = try requireString(format, 4_341_114, "$convert takes a string as 'format'")
            self.format = try require(
                Format(rawValue: text), 4_341_125,
                "$convert takes base64, base64url, hex, utf8, uuid or auto as 'format'.")
        }
        if !byteOrder.isNullish {
            let text = try requireString(byteOrder, 9_130_001, "$convert takes a string as 'byteOrder'")
            try require(
                text == "big" || text == "little", 9_130_002, "$convert takes big or little as 'byteOrder'.")
            isBigEndian = text == "big"
        }
    }

    private static func subtype(_ given: BSON) throws -> UInt8 {
        let number = try requireNumber(given, 4_341_108, "$convert takes a number as 'subtype'")
        let integer = try require(number.exactInteger, 4_341_106, "$convert takes an integer as 'subtype'.")
        guard let byte = UInt8(exactly: integer), byte < 10 || byte >= 128 else {
            throw MongoError(code: 4_341_107, "$convert takes a subtype from 0 to 9, or from 128 to 255.")
        }
        return byte
    }

    private static func type(_ target: BSON) throws -> BSONType? {
        if case .string(let alias) = target {
            return try require(
                BSONType(alias: alias), 2, "$convert takes the name of a BSON type, such as 'int', as 'to'.")
        }
        let number = try requireNumber(target, 9, "$convert takes a string or a number as 'to'")
        // 0 stands for a missing value.
        if number.exactInteger == 0 { return nil }
        guard let integer = number.exactInteger, let type = BSONType(rawValue: Int(integer)) else {
            throw MongoError(code: 9, "$convert takes the number of a BSON type, such as 16 for int, as 'to'.")
        }
        return type
    }

    /// Returns the value, converted to the type.
    ///
    /// - Throws: `MongoError` 241 if the value can't be converted; 4341115 for a string and binary data without a
    ///   format.
    func converted(_ value: BSON) throws -> BSON {
        switch type {
        case .bool: return .bool(Optional(value).isTrue)
        case .double: return .double(try double(value))
        case .decimal128: return .decimal128(try decimal(value))
        case .int32:
            let number = try require(Int32(exactly: integer(value)), failure(value, "it doesn't fit"))
            return .int32(number)
        case .int64: return .int64(try integer(value))
        case .string: return .string(try text(value))
        case .datetime: return .datetime(try date(value))
        case .objectID: return .objectID(try objectID(value))
        case .binary: return .binary(try binary(value))
        default:
            throw failure(value, "there is no such conversion")
        }
    }

    /// Returns the error for a value that can't be converted. `reason` is the last part of its message.
    func failure(_ value: BSON, _ reason: String) -> MongoError {
        MongoError(
            code: 241, "\(value.type.alias) can't be converted to \(type?.alias ?? "missing"): \(reason).")
    }
}

extension Conversion {
    func double(_ value: BSON) throws -> Double {
        switch value {
        case .decimal128(let number):
            try require(number.doubleValue.isFinite || !number.isFinite, failure(value, "it doesn't fit"))
            return number.doubleValue
        case .bool(let flag): return flag ? 1 : 0
        case .datetime(let date): return Double(date.milliseconds)
        case .binary(let binary):
            let bytes = storedBytes(of: binary)
            switch bytes.count {
            case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: Self.integer(bytes))))
            case 8: return Double(bitPattern: UInt64(bitPattern: Self.integer(bytes)))
            default: throw failure(value, "it hasn't 4 or 8 bytes")
            }
        case .string(let text):
            let isHexadecimal = Self.isHexadecimal(text)
            guard isHexadecimal || Self.isNumber(text), let number = Double(text) else {
                throw failure(value, "it isn't a number")
            }
            let isInfinite = text.utf8.contains { $0 | 0x20 == 0x69 }
            try require(number.isFinite || isInfinite || number.isNaN, failure(value, "it doesn't fit"))
            if number == 0, !isHexadecimal {
                let hasDigit = text.utf8.prefix { $0 | 0x20 != 0x65 }.contains { (0x31...0x39).contains($0) }
                try require(!hasDigit, failure(value, "it is too close to 0"))
            }
            return number
        default: return try require(BSONNumber(value), failure(value, "there is no such conversion")).double
        }
    }

    func decimal(_ value: BSON) throws -> Decimal128 {
        switch value {
        case .bool(let flag): return Decimal128(flag ? 1 : 0)
        case .datetime(let date): return Decimal128(date.milliseconds)
        case .string(let text):
            guard Self.isNumber(text), let number = Decimal128(truncating: text) else {
                throw failure(value, "it isn't a number")
            }
            return number
        default:
            let number = try require(BSONNumber(value), failure(value, "there is no such conversion"))
            return number.decimal
        }
    }

    /// Returns a value converted to an integer of 64 bits; the fraction of a double or a decimal is dropped. Throws
    /// `MongoError` 241 if the value can't be converted.
    func integer(_ value: BSON) throws -> Int64 {
        switch value {
        case .bool(let flag): return flag ? 1 : 0
        case .datetime(let date) where type == .int64: return date.milliseconds
        case .binary(let binary):
            let bytes = storedBytes(of: binary)
            guard [1, 2, 4].contains(bytes.count) || bytes.count == 8 && type == .int64 else {
                throw failure(value, "it hasn't the number of bytes of an integer")
            }
            return Self.integer(bytes)
        case .string(let text):
            guard Self.isNumber(text), let number = Int64(text) else {
                throw failure(value, "it isn't an integer that fits 64 bits")
            }
            return number
        case .double(let number):
            try require(number.isFinite, failure(value, "it isn't finite"))
            return try require(Int64(exactly: number.rounded(.towardZero)), failure(value, "it doesn't fit"))
        case .decimal128(let number):
            try require(number.isFinite, failure(value, "it isn't finite"))
            return try require(number.truncatedInt64, failure(value, "it doesn't fit"))
        default:
            return try require(BSONNumber(value)?.integer, failure(value, "there is no such conversion"))
        }
    }

    /// Returns a Boolean value that says whether a text begins as a hexadecimal number, which is a double: with `0X`, or
    /// with a sign and `0x` in either case, and without spaces.
    private static func isHexadecimal(_ text: String) -> Bool {
        var bytes = Array(text.utf8.prefix(3))
        let isSigned = bytes.first == 0x2B || bytes.first == 0x2D
        if isSigned { bytes.removeFirst() }
        guard bytes.starts(with: [0x30, 0x58]) || isSigned && bytes.starts(with: [0x30, 0x78]) else { return false }
        return !text.utf8.contains { $0 <= 0x20 }
    }

    /// Returns a Boolean value that says whether a text may be parsed as a number: spaces and hexadecimal notation
    /// aren't allowed.
    private static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != 0x20 else { return false }
        return text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
                || (0x41...0x5A).contains(byte & 0xDF)
        } && !text.utf8.contains { $0 | 0x20 == 0x78 || $0 | 0x20 == 0x70 }
    }
}

extension Conversion {
    func text(_ value: BSON) throws -> String {
        switch value {
        case .string(let text): return text
        case .bool(let flag): return flag ? "true" : "false"
        case .objectID(let id): return id.hex
        case .double(let number): return Text.text(of: number)
        case .int32, .int64, .decimal128, .datetime: return try Text.coerced(value, "$convert")
        case .binary(let given):
            // The old subtype 2 counts its bytes before them.
            let binary = given.subtype == 2 ? Binary(storedBytes(of: given).reversed(), subtype: 2) : given
            // The length of the longest text in the format.
            let count =
                switch format {
                case .hex: 2 * binary.bytes.count
                case .utf8, .uuid, nil: 0
                case .base64, .base64url, .auto: (binary.bytes.count + 2) / 3 * 4
                }
            try require(count < Text.maximumByteCount, failure(value, "its text would be too long"))
            let text = try text(binary, value)
            try Text.checkValue(text)
            return text
        default: throw failure(value, "there is no such conversion")
        }
    }

    private static let formatError = MongoError(
        code: 4341115, "Strings and binary data are converted to each other only by $convert with a 'format'.")

    private func text(_ binary: Binary, _ value: BSON) throws -> String {
        switch format {
        case .base64: return Self.base64(binary.bytes, isForURLs: false)
        case .base64url: return Self.base64(binary.bytes, isForURLs: true)
        case .hex: return Hexadecimal.text(of: binary.bytes).uppercased()
        case .utf8:
            return try require(String(validating: binary.bytes, as: UTF8.self), failure(value, "it isn't UTF-8"))
        case .uuid: return try require(binary.uuidText, failure(value, "it isn't a UUID"))
        case .auto: return binary.uuidText ?? Self.base64(binary.bytes, isForURLs: false)
        case nil: throw Self.formatError
        }
    }

    func date(_ value: BSON) throws -> DateTime {
        switch value {
        case .string(let text): return try DateReader.date(of: text, nil, nil)
        case .int64, .double, .decimal128:
            return DateTime(milliseconds: try require(value.truncatedInt64, failure(value, "it doesn't fit")))
        default: return try require(DateTime(of: value), failure(value, "there is no such conversion"))
        }
    }

    func objectID(_ value: BSON) throws -> ObjectID {
        switch value {
        case .objectID(let id): return id
        case .string(let text): return try require(ObjectID(text), failure(value, "it isn't 24 hexadecimal digits"))
        default: throw failure(value, "there is no such conversion")
        }
    }

    func binary(_ value: BSON) throws -> Binary {
        switch value {
        case .binary(let binary):
            try require(binary.subtype == subtype, failure(value, "it has another subtype"))
            return binary
        case .int32(let number): return Binary(bytes(of: number), subtype: subtype)
        case .int64(let number): return Binary(bytes(of: number), subtype: subtype)
        case .double(let number): return Binary(bytes(of: number.bitPattern), subtype: subtype)
        case .string(let text):
            let bytes = try require(bytes(of: text), failure(value, "it isn't text in the given 'format'"))
            try require(
                (subtype == 4) == (format == .uuid),
                failure(value, "the 'format' uuid and the 'subtype' 4 must be given together"))
            return Binary(bytes, subtype: subtype)
        default: throw failure(value, "there is no such conversion")
        }
    }

    private func bytes(of text: String) throws -> [UInt8]? {
        switch format {
        case .base64: return Self.bytes(base64: text, isForURLs: false)
        case .base64url: return Self.bytes(base64: text, isForURLs: true)
        case .hex: return Hexadecimal.bytes(of: text)
        case .utf8: return Array(text.utf8)
        case .uuid: return Binary(uuid: text)?.bytes
        case .auto: return nil
        case nil: throw Self.formatError
        }
    }

    // MARK: Bytes as numbers

    /// Returns the bytes of binary data as BSON stores them, of which the most significant comes first in the result.
    /// Those of the old subtype 2 begin with their number.
    private func storedBytes(of binary: Binary) -> [UInt8] {
        guard binary.subtype == 2 else { return isBigEndian ? binary.bytes : binary.bytes.reversed() }
        let count = UInt32(truncatingIfNeeded: binary.bytes.count)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + binary.bytes
        return isBigEndian ? bytes : bytes.reversed()
    }

    /// Returns the signed integer of at most 8 bytes, of which the most significant is the first.
    private static func integer(_ bytes: [UInt8]) -> Int64 {
        bytes.dropFirst().reduce(Int64(Int8(bitPattern: bytes.first ?? 0))) { $0 << 8 | Int64($1) }
    }

    private func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        let bytes = (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    // MARK: Bytes as text

    /// Returns bytes as base64 or, if `isForURLs`, as base64url without padding.
    private static func base64(_ bytes: [UInt8], isForURLs: Bool) -> String {
        let text = Base64.encode(bytes)
        guard isForURLs else { return text }
        return text.utf8.filter { $0 != 0x3D }.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }.text
    }

    private static func bytes(base64 text: String, isForURLs: Bool) -> [UInt8]? {
        guard isForURLs else {
            return text.utf8.count.isMultiple(of: 4) ? Base64.decode(text, allowsMissingPadding: true) : nil
        }
        guard !text.utf8.contains(where: { $0 == 0x2B || $0 == 0x2F }) else { return nil }
        return Base64.decode(
            text.utf8.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }.text, allowsMissingPadding: true)
    }
}
