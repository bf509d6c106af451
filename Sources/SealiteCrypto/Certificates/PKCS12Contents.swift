internal import COpenSSL
internal import SealiteBase

/// The private keys and certificates of a PKCS#12 file, from which one key is chosen.
struct PKCS12Contents {
    /// A private key of the file.
    struct Key {
        let key: PrivateKey
        /// The name that programs show for the key (the friendly name, or alias); nil for none.
        let name: String?
        /// A Boolean value that says whether the passphrase is needed to read the key.
        let isEncrypted: Bool
    }

    /// A Boolean value that says whether the file has a MAC, which was then verified with the passphrase.
    let isAuthenticated: Bool
    let hasPassphrase: Bool
    private var keys: [Key] = []
    private var keyCount = 0
    private var certificates: [X509Certificate] = []

    /// The maximum number of private keys in a file, repeated ones included: decoding one can take milliseconds.
    private static let maximumKeyCount = 32

    init(isAuthenticated: Bool, hasPassphrase: Bool) {
        self.isAuthenticated = isAuthenticated
        self.hasPassphrase = hasPassphrase
    }

    /// Adds a key, except for one that is there already.
    mutating func add(_ key: Key) throws(IdentityError) {
        keyCount += 1
        guard keyCount <= Self.maximumKeyCount else {
            throw IdentityError(
                .tooLarge, "the PKCS#12 file has more than \(Self.maximumKeyCount) private keys",
                hint: "export the one identity that is needed")
        }
        if !keys.contains(where: { $0.key.isEqual(to: key.key) }) { keys.append(key) }
    }

    mutating func add(_ certificate: X509Certificate) throws(IdentityError) {
        guard certificates.count < IdentityParts.maximumCertificateCount else {
            throw IdentityError.tooManyCertificates
        }
        certificates.append(certificate)
    }

    /// Returns one private key with all certificates: the key with the name `name`, or the only one that has a
    /// certificate.
    func parts(name: String?) throws(IdentityError) -> IdentityParts {
        let key = try key(named: name)
        // Without a MAC, only the encryption of the key shows that whoever made the file knew the passphrase: others
        // could have replaced the whole file by one of theirs.
        guard isAuthenticated || key.isEncrypted || !hasPassphrase else {
            throw IdentityError(
                .wrongPassphrase,
                "the passphrase protects nothing: the PKCS#12 file has no MAC, and its private key isn't encrypted",
                hint: "if you trust the file, import it without a passphrase")
        }
        return IdentityParts(key: key.key, certificates: certificates)
    }

    private func key(named name: String?) throws(IdentityError) -> Key {
        guard let first = keys.first else {
            throw IdentityError(
                .noPrivateKey, "there is no private key in the PKCS#12 file, and \(counted(certificates.count))",
                hint: "export the certificate together with its private key")
        }
        let usable = keys.filter { certificate(of: $0) != nil }
        guard let name else {
            guard usable.count < 2 else {
                throw IdentityError(
                    .severalKeys,
                    "the PKCS#12 file has \(usable.count) private keys with certificates: \(list(usable))",
                    hint: "name the one to use")
            }
            // Without a certificate, the missing one is the error.
            return usable.first ?? first
        }
        let named = usable.filter { key in
            key.name?.lowercased() == name.lowercased() || certificate(of: key)?.subject == name
        }
        guard let found = named.first else {
            throw IdentityError(
                .noPrivateKey,
                "no private key with a certificate of the PKCS#12 file has the name \"\(printable(name))\"",
                hint: usable.isEmpty ? nil : "its keys are \(list(usable))")
        }
        guard named.count == 1 else {
            throw IdentityError(
                .severalKeys,
                "\(named.count) private keys of the PKCS#12 file have the name \"\(printable(name))\": \(list(named))",
                hint: "export the one to use by itself")
        }
        return found
    }

    private func certificate(of key: Key) -> X509Certificate? { certificates.first(where: key.key.fits) }

    private func counted(_ count: Int) -> String {
        switch count {
        case 0: "no certificate either"
        case 1: "one certificate"
        default: "\(count) certificates"
        }
    }

    /// The names by which keys are chosen, with the subjects of their certificates.
    private func list(_ keys: [Key]) -> String {
        keys.map { key in
            let subject = certificate(of: key)?.subject ?? ""
            guard let name = key.name, !name.isEmpty else { return subject }
            return "\"\(printable(name, limit: 100))\" (\(subject))"
        }.joined(separator: ", ")
    }
}

extension IdentityError {
    static var tooManyCertificates: IdentityError {
        IdentityError(.tooLarge, "more than \(IdentityParts.maximumCertificateCount) certificates were given")
    }
}
