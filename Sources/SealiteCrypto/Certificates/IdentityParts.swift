internal import COpenSSL
internal import Glibc

/// A private key, and certificates in any order, from which an identity is made.
struct IdentityParts {
    let key: PrivateKey
    let certificates: [X509Certificate]
    static let maximumCertificateCount = 32

    /// Returns the private key's own certificate, then its issuers in order; certificates outside this chain are left
    /// out. Throws `noCertificate` if there are none, and `mismatch` if none belongs to the key.
    func chain() throws(IdentityError) -> [X509Certificate] {
        guard !certificates.isEmpty else {
            throw IdentityError(.noCertificate, "the identity has a private key, but no certificate")
        }
        guard var last = certificates.first(where: key.fits) else {
            throw IdentityError(
                .mismatch, "the private key belongs to none of the given certificates (\(certificates.count))",
                hint: "give the certificate that was issued for this key")
        }
        var chain = [last]
        while let issuer = certificates.first(where: { next in
            next.isIssuer(of: last) && !chain.contains { $0 === next }
        }) {
            chain.append(issuer)
            last = issuer
        }
        return chain
    }
}
