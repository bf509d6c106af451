internal import SealiteValues

extension Conversion {
    func double(_ value: BSON) throws -> Double {
        switch value {
        case .double(let number): return number
        case .int32(let number): return Double(number)
        case .int64(let number): return Double(number)
        case .decimal128(let number):
            guard number.doubleValue.isFinite || !number.isFinite else { throw failure(value, "it doesn't fit") }
            return number.doubleValue
        case .bool(let flag): return flag ? 1 : 0
        case .datetime(let date): return Double(date.milliseconds)
        case .string(let text):
            guard Self.isNumber(text), let number = Double(text) else { throw failure(value, "it isn't a number") }
            let isInfinite = text.utf8.contains { $0 | 0x20 == 0x69 }
            guard number.isFinite || isInfinite || number.isNaN else { throw failure(value, "it doesn't fit") }
            return number
        default: throw failure(value, "there is no such conversion")
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
            guard let number = Number(value) else { throw failure(value, "there is no such conversion") }
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
            guard number.isFinite else { throw failure(value, "it isn't finite") }
            guard let integer = Int64(exactly: number.rounded(.towardZero)) else {
                throw failure(value, "it doesn't fit")
            }
            return integer
        case .decimal128(let number):
            guard number.isFinite else { throw failure(value, "it isn't finite") }
            guard let integer = number.truncatedInt64 else { throw failure(value, "it doesn't fit") }
            return integer
        default:
            guard let integer = Number(value)?.integer else { throw failure(value, "there is no such conversion") }
            return integer
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
