internal import SealiteCrypto

/// Random UUIDs (RFC 9562 version 4).
enum UUIDBytes {
    static func random() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        try unsafe bytes.withUnsafeMutableBytes { try unsafe SecureRandom.fill($0) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }
}
