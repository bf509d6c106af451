internal import SealiteCrypto
internal import SealiteJSON

/// Random UUIDs (RFC 9562 version 4).
enum UUIDBytes {
    static func random() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        try unsafe bytes.withUnsafeMutableBytes { try unsafe SecureRandom.fill($0) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(0x2D) }
            text.append(Hexadecimal.digit(byte >> 4))
            text.append(Hexadecimal.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
