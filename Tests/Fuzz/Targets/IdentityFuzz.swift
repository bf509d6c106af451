@testable import SealiteCrypto

/// Certificates and a private key as PEM, and as PKCS#12: the bytes of one file, from which both are read.
///
/// The first byte says whether there is a passphrase.
class IdentityFuzz: FuzzTarget {
    required init() throws {}

    /// Reads the bytes as the target's format.
    func read(_ bytes: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?) throws(IdentityError)
        -> ClientIdentity
    {
        throw IdentityError(.failed, "a target reads nothing")
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        let bytes = SecretBytes(copying: Array(input.dropFirst()))
        var passphrase: SecretBytes?
        if first & 1 == 1 { passphrase = SecretBytes(copying: Array("open sesame".utf8)) }
        var fault: IdentityError?
        var broken: BrokenProperty?
        do throws(IdentityError) {
            let identity = try read(bytes, passphrase)
            broken = Self.broken(identity)
        } catch {
            fault = error
        }
        try BrokenProperty.unless(fault?.code != .failed, "OpenSSL failed: \(String(describing: fault))")
        if let broken { throw broken }
    }

    /// Returns what an identity has that none can have; nil for a good one.
    private static func broken(_ identity: borrowing ClientIdentity) -> BrokenProperty? {
        let certificates = identity.certificates
        guard (1...IdentityParts.maximumCertificateCount).contains(certificates.count),
            identity.privateKey.byteCount > 0
        else { return BrokenProperty("an identity has no certificate, or no key") }
        let subject = identity.subject.utf8
        guard subject.count < 256, subject.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return BrokenProperty("a subject isn't printable")
        }
        for certificate in certificates {
            let digest = try? CertificateVerification.publicKeyDigest(of: certificate)
            guard digest?.count == 32 else { return BrokenProperty("a certificate of an identity can't be read") }
        }
        return nil
    }
}

/// PEM (RFC 7468): certificates, a private key, both encrypted and not.
final class PEMFuzz: IdentityFuzz {
    override func read(
        _ bytes: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?
    ) throws(IdentityError) -> ClientIdentity {
        try ClientIdentity(pemCertificates: bytes, pemPrivateKey: bytes, passphrase: passphrase)
    }
}

/// PKCS#12 (RFC 7292).
final class PKCS12Fuzz: IdentityFuzz {
    override func read(
        _ bytes: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?
    ) throws(IdentityError) -> ClientIdentity {
        try ClientIdentity(pkcs12: bytes, passphrase: passphrase)
    }
}
