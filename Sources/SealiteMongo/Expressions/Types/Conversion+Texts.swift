internal import SealiteBase
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
        case .hex: return Hexadecimal.text(of: binary.bytes).uppercased()
        case .utf8:
            guard let text = String(validating: binary.bytes, as: UTF8.self) else {
                throw failure(value, "it isn't UTF-8")
            }
            return text
        case .uuid:
            guard let text = binary.uuidText else { throw failure(value, "it isn't a UUID") }
            return text
        case .auto: return binary.uuidText ?? Self.base64(binary.bytes, isForURLs: false)
        case nil:
            throw MongoError(
                code: 4341115, "Strings and binary data are converted to each other only by $convert with a 'format'.")
        }
    }

    func date(_ value: BSON) throws -> DateTime {
        switch value {
        case .string(let text): return try DateReader.date(of: text, nil, nil)
        case .int64(let milliseconds): return DateTime(milliseconds: milliseconds)
        case .double(let number):
            guard let milliseconds = Int64(exactly: number.rounded(.towardZero)) else {
                throw failure(value, "it doesn't fit")
            }
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
            guard let bytes = try bytes(of: text) else { throw failure(value, "it isn't text in the given 'format'") }
            guard (subtype == 4) == (format == .uuid) || format == .auto else {
                throw failure(value, "the 'format' uuid and the 'subtype' 4 must be given together")
            }
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
        case nil:
            throw MongoError(
                code: 4341115, "Strings and binary data are converted to each other only by $convert with a 'format'.")
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
