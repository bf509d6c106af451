internal import SealiteCrypto

/// The stored form of a client identity, a JSON object, and its conversion (Documentation/Credentials.md §3.3).
enum ClientIdentityRecord {
    /// The maximum number of certificates, more than any real chain has.
    private static let maximumCertificateCount = 32

    static func encode(_ identity: consuming ClientIdentityCredential) throws(CredentialError) -> SecretBytes {
        let certificates = identity.certificates
        guard (1...maximumCertificateCount).contains(certificates.count), !certificates.contains(where: \.isEmpty),
            identity.privateKey.byteCount > 0
        else {
            throw CredentialError(
                .invalidArgument,
                "a client identity has a private key and 1 to \(maximumCertificateCount) certificates, none of them empty; "
                    + "this one has \(certificates.count) certificates, or an empty one, or an empty private key")
        }
        let list = certificates.map { "\"" + Base64.encode($0) + "\"" }.joined(separator: ",")
        let start = "{\"version\":\(Credential.recordVersion),\"certificates\":[\(list)],\"privateKey\":\""
        return RecordWriter.write([.text(start), .base64Secret, .text("\"}")], identity.privateKey)
    }

    static func decode(_ record: borrowing SecretBytes) throws(CredentialError) -> ClientIdentityCredential {
        var certificates: [[UInt8]]?
        var privateKey: SecretBytes?
        try RecordReader.read(record, .clientIdentity) { name, reader throws(CredentialError) in
            switch name {
            case "certificates":
                var list: [[UInt8]] = []
                try reader.readArray(name) { reader throws(CredentialError) in
                    let certificate = try reader.readBase64(name)
                    list.append(unsafe certificate.withUnsafeBytes { unsafe Array($0) })
                    guard list.count <= maximumCertificateCount else {
                        throw reader.damaged("more than \(maximumCertificateCount) certificates")
                    }
                }
                certificates = list
            case "privateKey": privateKey = try reader.readBase64(name)
            default: return false
            }
            return true
        }
        guard let certificates, let privateKey = privateKey.take(), !certificates.isEmpty,
            !certificates.contains(where: \.isEmpty), privateKey.byteCount > 0
        else {
            throw CredentialError.damaged(
                "the stored client identity has no certificate or no private key, or one of them is empty")
        }
        return ClientIdentityCredential(certificates: certificates, privateKey: privateKey)
    }
}
