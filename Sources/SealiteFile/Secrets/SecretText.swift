public import SealiteCrypto

/// Conversions of secrets to and from text: hex digits, and the recovery key on paper. The text is kept in
/// `SecretBytes` too.
public enum SecretText {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let recoveryKeyByteCount = 32
    private static let checksumByteCount = 3
    private static let checksumLabel = Array("Sealite recovery key 2".utf8)
    /// The label in the checksums of recovery keys from before the first release, with which a file could be forged.
    private static let removedChecksumLabel = Array("Sealite recovery key".utf8)

    /// Returns the paper form of a recovery key: 56 characters of base32 in 14 groups joined by "-", 69 bytes in all.
    /// `Documentation/FORMAT.md` §5.4.
    static func paperForm(of key: RecoveryKey) throws(SealedFileError) -> SecretBytes {
        let sealed = try withChecksum(key.privateKey, checksumLabel)
        return unsafe sealed.withUnsafeBytes { bytes in
            unsafe SecretBytes(byteCount: 69) { text in
                var (bits, bitCount, place) = (UInt32(0), 0, 0)
                for index in bytes.indices {
                    (bits, bitCount) = unsafe (bits << 8 | UInt32(bytes[index]), bitCount + 8)
                    while bitCount >= 5 {
                        bitCount -= 5
                        unsafe text[place] = alphabet[Int(bits >> UInt32(bitCount) & 31)]
                        place += 1
                        if place % 5 == 4, place < text.count {
                            unsafe text[place] = UInt8(ascii: "-")
                            place += 1
                        }
                    }
                }
            }
        }
    }

    /// Parses a recovery key. Case, spaces, line ends and dashes are ignored.
    ///
    /// - Throws: `SealedFileError`: `invalidArgument`, with a reason that distinguishes a wrong length, a wrong
    ///   character and a wrong checksum; `unsupportedVersion` for a key from before the first release, whose slots
    ///   didn't prove who made them; `internalFailure`.
    public static func recoveryKey(from text: borrowing SecretBytes) throws(SealedFileError) -> RecoveryKey {
        let byteCount = recoveryKeyByteCount + checksumByteCount
        var (digitCount, stranger) = (0, false)
        let sealed = unsafe text.withUnsafeBytes { text in
            unsafe SecretBytes(byteCount: byteCount) { bytes in
                var (bits, bitCount, place) = (UInt32(0), 0, 0)
                for index in text.indices where unsafe !isIgnored(text[index]) {
                    guard let digit = unsafe value(of: text[index]) else {
                        stranger = true
                        continue
                    }
                    digitCount += 1
                    guard digitCount <= byteCount * 8 / 5 else { continue }
                    (bits, bitCount) = (bits << 5 | UInt32(digit), bitCount + 5)
                    guard bitCount >= 8 else { continue }
                    bitCount -= 8
                    unsafe bytes[place] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
                    place += 1
                }
            }
        }
        guard !stranger else {
            throw SealedFileError(
                .invalidArgument, "a recovery key consists of the letters A to Z, the digits 2 to 7, hyphens and spaces"
            )
        }
        guard digitCount == byteCount * 8 / 5 else {
            throw SealedFileError(
                .invalidArgument, "a recovery key has \(byteCount * 8 / 5) letters and digits, not \(digitCount)")
        }
        let key = unsafe sealed.withUnsafeBytes {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<recoveryKeyByteCount]))
        }
        if sealed.isEqual(to: try withChecksum(key, checksumLabel)) { return try RecoveryKey(privateKey: key) }
        guard !sealed.isEqual(to: try withChecksum(key, removedChecksumLabel)) else {
            throw SealedFileError(
                .unsupportedVersion,
                "the recovery key is of a kind that was removed before the first release: its slots don't prove who made them",
                hint: FileRemedy.exportByOldBuild.hint)
        }
        throw SealedFileError(
            .invalidArgument, "the checksum of the recovery key is wrong: a character was mistyped or miscopied")
    }

    /// Decodes hex digits in either case; nil if the text isn't valid hex.
    public static func bytes(fromHex text: borrowing SecretBytes) -> SecretBytes? {
        guard text.byteCount.isMultiple(of: 2) else { return nil }
        var isHex = true
        let bytes = unsafe text.withUnsafeBytes { text in
            unsafe SecretBytes(byteCount: text.count / 2) { bytes in
                for index in 0..<bytes.count {
                    let (high, low) = unsafe (
                        Hexadecimal.value(text[2 * index]), Hexadecimal.value(text[2 * index + 1])
                    )
                    isHex = isHex && high != nil && low != nil
                    unsafe bytes[index] = (high ?? 0) << 4 | (low ?? 0)
                }
            }
        }
        guard isHex else { return nil }
        return bytes
    }

    private static func withChecksum(
        _ key: borrowing SecretBytes, _ label: [UInt8]
    ) throws(SealedFileError) -> SecretBytes {
        let labelled = unsafe key.withUnsafeBytes { key in
            unsafe SecretBytes(byteCount: label.count + key.count) { buffer in
                unsafe buffer.copyBytes(from: label)
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[label.count...]).copyMemory(from: key)
            }
        }
        let digest = try unsafe labelled.withUnsafeBytes { labelled throws(SealedFileError) in
            try SealedFileError.mappingCrypto { () throws(CryptoError) in try unsafe SHA256.digest(of: labelled) }
        }
        return unsafe key.withUnsafeBytes { key in
            unsafe SecretBytes(byteCount: key.count + checksumByteCount) { buffer in
                unsafe buffer.copyMemory(from: key)
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[key.count...])
                    .copyBytes(from: digest.prefix(checksumByteCount))
            }
        }
    }

    private static func isIgnored(_ character: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t")]
            .contains(character)
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
        default: nil
        }
    }
}
