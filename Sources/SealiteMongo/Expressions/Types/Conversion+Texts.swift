internal import SealiteValues

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

    private func text(_ binary: Binary, _ value: BSON) throws -> String {
        switch format {
        case .base64: return Self.base64(binary.bytes, isForURLs: false)
        case .base64url: return Self.base64(binary.bytes, isForURLs: true)
        case .hex: return Self.hexadecimal(binary.bytes)
        case .utf8:
            guard let text = String(validating: binary.bytes, as: UTF8.self) else { throw failure(value, "it isn't UTF-8") }
            return text
        case .uuid:
            guard let text = binary.uuidText else { throw failure(value, "it isn't a UUID") }
            return text
        case .auto: return binary.uuidText ?? Self.base64(binary.bytes, isForURLs: false)
        case nil: throw MongoError(code: 4341115, "$convert needs a 'format' between strings and bytes.")
        }
    }

    func date(_ value: BSON) throws -> DateTime {
        switch value {
        case .string(let text): return try DateReader.date(of: text, nil, nil)
        case .int64(let milliseconds): return DateTime(milliseconds: milliseconds)
        case .double(let number):
            guard let milliseconds = Int64(exactly: number.rounded(.towardZero)) else { throw failure(value, "it doesn't fit") }
            return DateTime(milliseconds: milliseconds)
        case .decimal128(let number):
            guard let milliseconds = number.truncatedInt64 else { throw failure(value, "it doesn't fit") }
            return DateTime(milliseconds: milliseconds)
        default:
            guard let date = DateTime(of: value) else { throw failure(value, "there is no such conversion") }
            return date
        }
    }

    func objectID(_ value: BSON) throws -> ObjectID {
        switch value {
        case .objectID(let id): return id
        case .string(let text):
            guard let id = ObjectID(text) else { throw failure(value, "it isn't 24 hexadecimal digits") }
            return id
        default: throw failure(value, "there is no such conversion")
        }
    }

    func binary(_ value: BSON) throws -> Binary {
        switch value {
        case .binary(let binary):
            return Binary(binary.bytes, subtype: subtype)
        case .string(let text):
            guard let bytes = try bytes(of: text) else { throw failure(value, "it isn't in the format") }
            guard (subtype == 4) == (format == .uuid) || format == .auto else {
                throw failure(value, "the format and the subtype don't belong together")
            }
            return Binary(bytes, subtype: subtype)
        default: throw failure(value, "there is no such conversion")
        }
    }

    private func bytes(of text: String) throws -> [UInt8]? {
        switch format {
        case .base64, .auto: return Self.bytes(base64: text, isForURLs: false)
        case .base64url: return Self.bytes(base64: text, isForURLs: true)
        case .hex: return Self.bytes(hexadecimal: text)
        case .utf8: return Array(text.utf8)
        case .uuid: return Binary(uuid: text)?.bytes
        case nil: throw MongoError(code: 4341115, "$convert needs a 'format' between strings and bytes.")
        }
    }

    // MARK: Bytes as text

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    private static func alphabet(_ isForURLs: Bool) -> [UInt8] { letters + (isForURLs ? [0x2D, 0x5F] : [0x2B, 0x2F]) }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }.text
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let values = text.utf8.map { byte in digits.firstIndex(of: (0x61...0x66).contains(byte) ? byte & 0xDF : byte) }
        guard values.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let high = values[index], let low = values[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    private static func base64(_ bytes: [UInt8], isForURLs: Bool) -> String {
        let alphabet = alphabet(isForURLs)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for index in 0...part.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
            if !isForURLs { text += Array(repeating: 0x3D, count: 3 - part.count) }
        }
        return text.text
    }

    private static func bytes(base64 text: String, isForURLs: Bool) -> [UInt8]? {
        let alphabet = alphabet(isForURLs)
        var characters = Array(text.utf8)
        guard isForURLs || characters.count.isMultiple(of: 4) else { return nil }
        for _ in 0..<2 where characters.last == 0x3D { characters.removeLast() }
        guard characters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for character in characters {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            (bits, count) = ((bits << 6 | value) & 0xFFFFFF, count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }
}
