internal import SealiteBase
internal import SealiteValues

/// A conversion of values to a BSON type, as by `$convert` and `$toInt`.
struct Conversion {
    /// The formats in which binary values are converted to strings and back.
    enum Format: String {
        case base64, base64url, hex, utf8, uuid, auto
    }

    var type: BSONType
    var subtype: UInt8 = 0
    var format: Format?

    init(type: BSONType, subtype: UInt8 = 0, format: Format? = nil) {
        (self.type, self.subtype, self.format) = (type, subtype, format)
    }

    /// Creates the conversion that the arguments `to` and `format` of `$convert` specify.
    init(to target: BSON, format: BSON?) throws {
        var (target, subtype) = (target, UInt8(0))
        if case .document(let members) = target {
            let type = try require(members["type"], 9, "$convert needs a 'type' in 'to'.")
            target = type
            if let given = members["subtype"] {
                guard let number = BSONNumber(given)?.exactInteger, let byte = UInt8(exactly: number) else {
                    throw MongoError(code: 9, "$convert takes an integer from 0 to 255 as 'subtype'.")
                }
                subtype = byte
            }
        }
        type = try Self.type(target)
        self.subtype = subtype
        guard !format.isNullish else { return }
        guard case .string(let text) = format, let known = Format(rawValue: text) else {
            throw MongoError(code: 4341125, "$convert takes base64, base64url, hex, utf8, uuid or auto as 'format'.")
        }
        self.format = known
    }

    private static func type(_ target: BSON) throws -> BSONType {
        if case .string(let alias) = target {
            return try require(
                BSONType(alias: alias), 2, "$convert takes the name of a BSON type, such as 'int', as 'to'.")
        }
        let number = try requireNumber(target, 9, "$convert takes a string or a number as 'to'")
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
            try require(value.type == type, failure(value, "there is no such conversion"))
            return value
        }
    }

    /// Returns the error for a value that can't be converted. `reason` is the last part of its message.
    func failure(_ value: BSON, _ reason: String) -> MongoError {
        MongoError(code: 241, "\(value.type.alias) can't be converted to \(type.alias): \(reason).")
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
        case .string(let text):
            guard Self.isNumber(text), let number = Double(text) else { throw failure(value, "it isn't a number") }
            let isInfinite = text.utf8.contains { $0 | 0x20 == 0x69 }
            try require(number.isFinite || isInfinite || number.isNaN, failure(value, "it doesn't fit"))
            return number
        default: return try require(BSONNumber(value), failure(value, "there is no such conversion")).double
        }
    }

    func decimal(_ value: BSON) throws -> Decimal128 {
        switch value {
        case .bool(let flag): return Decimal128(flag ? 1 : 0)
        case .datetime(let date): return Decimal128(date.milliseconds)
        case .string(let text):
            guard Self.isNumber(text), let number = Decimal128(text) else { throw failure(value, "it isn't a number") }
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
        case .int32, .int64, .double, .decimal128, .datetime: return try Text.coerced(value, "$convert")
        case .binary(let binary): return try text(binary, value)
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
        case .binary(let binary): return Binary(binary.bytes, subtype: subtype)
        case .string(let text):
            let bytes = try require(bytes(of: text), failure(value, "it isn't text in the given 'format'"))
            try require(
                (subtype == 4) == (format == .uuid) || format == .auto,
                failure(value, "the 'format' uuid and the 'subtype' 4 must be given together"))
            return Binary(bytes, subtype: subtype)
        default: throw failure(value, "there is no such conversion")
        }
    }

    private func bytes(of text: String) throws -> [UInt8]? {
        switch format {
        case .base64, .auto: return Self.bytes(base64: text, isForURLs: false)
        case .base64url: return Self.bytes(base64: text, isForURLs: true)
        case .hex: return Hexadecimal.bytes(of: text)
        case .utf8: return Array(text.utf8)
        case .uuid: return Binary(uuid: text)?.bytes
        case nil: throw Self.formatError
        }
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
