internal import SealiteCrypto

extension VaultTable {
    private static let lengthByteCount = 4
    private static let paddingUnit = 256

    /// Returns the size of a padded record: its length and its bytes, filled up with zeros to a multiple of 256 bytes.
    private static func paddedByteCount(of byteCount: Int) -> Int {
        (lengthByteCount + byteCount + paddingUnit - 1) / paddingUnit * paddingUnit
    }

    /// Pads a record to a multiple of 256 bytes and encrypts it, with its reference as the associated data. SQLite sees
    /// neither the secret nor its exact length.
    static func seal(
        _ record: borrowing SecretBytes, as reference: CredentialReference, key: borrowing SecretBytes
    ) throws(CredentialError) -> [UInt8] {
        let used = lengthByteCount + record.byteCount
        let padded = unsafe SecretBytes(byteCount: paddedByteCount(of: record.byteCount)) { output in
            unsafe output.storeBytes(of: UInt32(record.byteCount).littleEndian, as: UInt32.self)
            unsafe record.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[lengthByteCount..<used]).copyMemory(from: bytes)
            }
        }
        return try seal(padded: padded, as: reference, key: key)
    }

    /// Encrypts a padded plaintext with XAES-256-GCM, with `reference` as the associated data. Returns nonce,
    /// ciphertext and tag.
    static func seal(
        padded: borrowing SecretBytes, as reference: CredentialReference, key: borrowing SecretBytes
    ) throws(CredentialError) -> [UInt8] {
        do throws(CryptoError) {
            return try XAES256GCM.seal(padded, key: key, associatedData: binding(reference)).combined
        } catch {
            throw CredentialError(.providerFailed, "encrypting the credential failed: \(error.reason)")
        }
    }

    /// Decrypts a record that was sealed for the same reference, and removes the padding. Throws `damaged` if its
    /// authentication or its padding is wrong.
    static func open(
        _ sealed: [UInt8], as reference: CredentialReference, key: borrowing SecretBytes
    ) throws(CredentialError) -> SecretBytes {
        let padded: SecretBytes
        do throws(CryptoError) {
            let box = try SealedBox(combined: sealed, nonceByteCount: XAES256GCM.nonceByteCount)
            padded = try XAES256GCM.open(box, key: key, associatedData: binding(reference))
        } catch {
            throw CredentialError.damaged(
                "the credential's record in the vault failed authentication: it was altered or damaged")
        }
        let record = unsafe padded.withUnsafeBytes { bytes -> SecretBytes? in
            guard bytes.count >= lengthByteCount else { return nil }
            let length = unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
            guard bytes.count == paddedByteCount(of: length) else { return nil }
            let end = lengthByteCount + length
            guard unsafe bytes[end...].allSatisfy({ $0 == 0 }) else { return nil }
            return unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[lengthByteCount..<end]))
        }
        guard let record else {
            throw CredentialError.damaged(
                "the credential's record in the vault was decrypted, but its length or padding is invalid")
        }
        return record
    }

    private static func binding(_ reference: CredentialReference) -> [UInt8] {
        var binding = Array("Sealite 1 vault record".utf8)
        for text in [reference.service.canonical, reference.account, reference.kind.rawValue] {
            unsafe withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { binding += unsafe Array($0) }
            binding += Array(text.utf8)
        }
        return binding
    }
}
