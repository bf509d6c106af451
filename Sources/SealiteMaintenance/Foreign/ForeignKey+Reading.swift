public import SealiteFile
import SealiteCrypto

extension ForeignKey {
    /// Reads a raw key: 32 or 48 bytes, or 64 or 96 hex digits, as the other program takes them or as `x'…'`, and at most
    /// one line end.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission` (also for a mode that is too open), `inputOutput`;
    ///   `invalidArgument` for any other content.
    public static func rawKey(from file: SecretFile) throws(SealedFileError) -> ForeignKey {
        let contents = try file.contents(limit: 102, isSecret: true)
        if contents.byteCount == 32 || contents.byteCount == 48 { return .rawKey(contents) }
        if let key = rawKey(inText: contents) { return .rawKey(key) }
        throw SealedFileError(
            .invalidArgument,
            "the key file of the other program doesn't hold a raw key: 32 or 48 bytes, or 64 or 96 hex digits",
            hint: "if it holds a passphrase, name it as one")
    }

    /// Returns the raw key, or the raw key and the salt, that a text writes in hex digits; nil if it is another text.
    static func rawKey(inText text: borrowing SecretBytes) -> SecretBytes? {
        let digits = unsafe text.withUnsafeBytes { text in
            var end = unsafe text.lastIndex { $0 != 0x0A && $0 != 0x0D }.map { $0 + 1 } ?? 0
            var start = 0
            if end > 3, unsafe text[0] | 0x20 == UInt8(ascii: "x"), unsafe text[1] == UInt8(ascii: "'"),
                unsafe text[end - 1] == UInt8(ascii: "'")
            {
                (start, end) = (2, end - 1)
            }
            return unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: text[start..<end]))
        }
        guard digits.byteCount == 64 || digits.byteCount == 96 else { return nil }
        return SecretText.bytes(fromHex: digits)
    }

    /// The raw key for which SQLCipher takes the passphrase, `x'` and 64 or 96 hex digits and `'`; nil if it takes it for a
    /// passphrase.
    var rawKeyInPassphrase: SecretBytes? {
        switch self {
        case .passphrase(let text) where text.byteCount == 67 || text.byteCount == 99: Self.rawKey(inText: text)
        default: nil
        }
    }

    /// The salt that follows the raw key; nil if there is none.
    var salt: [UInt8]? {
        switch self {
        case .rawKey(let bytes) where bytes.byteCount == 48: unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0[32...]) }
        default: nil
        }
    }
}
