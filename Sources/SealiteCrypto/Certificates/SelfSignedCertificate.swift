/// A generated certificate with its private key, for a listener without an identity of its own.
package struct SelfSignedCertificate: ~Copyable, Sendable {
    /// The certificate, as X.509 DER.
    package let certificate: [UInt8]
    /// The private key, as PKCS#8 DER.
    package let privateKey: SecretBytes

    /// Creates a key on P-256 and a certificate for it.
    ///
    /// - Parameters:
    ///   - commonName: the subject and issuer, 1 to 64 bytes.
    ///   - dnsNames: the names for which the certificate is valid, of ASCII letters, digits, `-` and `.`.
    ///   - addresses: the IP addresses for which the certificate is valid, as text.
    ///   - validity: the time from now for which the certificate is valid, 1 to 36,500 days. The validity starts an hour
    ///     ago, for clocks that are slow.
    /// - Throws: `invalidLength` for names or a validity that a certificate can't have, `openSSLFailure`.
    package init(
        commonName: String, dnsNames: [String] = [], addresses: [String] = [],
        validity: Duration = .seconds(365 * 86_400)
    ) throws(CryptoError) {
        guard (1...64).contains(commonName.utf8.count), (1...36_500).contains(validity / .seconds(86_400)) else {
            throw CryptoError(
                .invalidLength,
                "a certificate's common name has 1 to 64 bytes, and its validity 1 to 36500 days; given were"
                    + " \(commonName.utf8.count) bytes and \(validity.components.seconds) seconds")
        }
        // The names become part of OpenSSL's configuration text, in which other characters would have a special
        // meaning.
        let allowed = { (byte: UInt8) in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-.:".utf8.contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        for name in dnsNames + addresses where name.isEmpty || name.utf8.count > 253 || !name.utf8.allSatisfy(allowed) {
            let shown = name.unicodeScalars.prefix(253).map { $0.escaped(asASCII: true) }.joined()
            throw CryptoError(
                .invalidLength,
                "\"\(shown)\" isn't a DNS name or IP address of 1 to 253 ASCII letters, digits, '-', '.' and ':'")
        }
        let names = dnsNames.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
        self = try Self.make(commonName: commonName, alternativeNames: names, validity: validity)
    }

    init(certificate: [UInt8], key: consuming SecretBytes) {
        self.certificate = certificate
        privateKey = key
    }
}
