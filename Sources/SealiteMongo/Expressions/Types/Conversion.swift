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
            guard let type = members["type"] else { throw MongoError(code: 9, "$convert needs a 'type' in 'to'.") }
            target = type
            if let given = members["subtype"] {
                guard let number = Number(given)?.exactInteger, let byte = UInt8(exactly: number) else {
                    throw MongoError(code: 9, "$convert takes an integer from 0 to 255 as 'subtype'.")
                }
                subtype = byte
            }
        }
        type = try Self.type(target)
        self.subtype = subtype
        guard !format.isNullish else { return }
        guard case .string(let text) = format, let known = Format(rawValue: text) else {
            throw MongoError(
                code: 4341125, "$convert takes base64, base64url, hex, utf8, uuid or auto as 'format'.")
        }
        self.format = known
    }

    private static func type(_ target: BSON) throws -> BSONType {
        if case .string(let alias) = target {
            guard let type = BSONType(alias: alias) else {
                throw MongoError(code: 2, "$convert takes the name of a BSON type, such as 'int', as 'to'.")
            }
            return type
        }
        guard let number = Number(target) else {
            throw MongoError(code: 9, "$convert takes a string or a number as 'to', not \(target.type.alias).")
        }
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
            guard let number = Int32(exactly: try integer(value)) else { throw failure(value, "it doesn't fit") }
            return .int32(number)
        case .int64: return .int64(try integer(value))
        case .string: return .string(try text(value))
        case .datetime: return .datetime(try date(value))
        case .objectID: return .objectID(try objectID(value))
        case .binary: return .binary(try binary(value))
        default:
            guard value.type == type else { throw failure(value, "there is no such conversion") }
            return value
        }
    }

    /// Returns the error for a value that can't be converted. `reason` is the last part of its message.
    func failure(_ value: BSON, _ reason: String) -> MongoError {
        MongoError(code: 241, "\(value.type.alias) can't be converted to \(type.alias): \(reason).")
    }
}
