import SealiteCrypto

enum HashDigest {
    static func sha1(_ bytes: [UInt8]) throws -> [UInt8] { try SHA1.digest(of: bytes) }
}
