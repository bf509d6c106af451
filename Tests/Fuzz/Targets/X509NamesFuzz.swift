@testable import SealiteCrypto

/// A peer's certificate in DER, and the names in it. It is its own anchor, so that a signature is no obstacle; behind the first byte,
/// where that is odd, the input is the name to make a certificate of.
final class X509NamesFuzz: FuzzTarget {
    /// A host that no first input names.
    private static let stranger = "stranger.invalid"

    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        let rest = Array(input.dropFirst())
        if first & 1 == 1 { try checkMade(rest) } else { try checkRead(rest) }
    }

    private func checkRead(_ certificate: [UInt8]) throws(BrokenProperty) {
        let digest = try? CertificateVerification.publicKeyDigest(of: certificate)
        try? CertificateVerification.checkSelfSigned(certificate)
        let fault = Self.fault(certificate, host: "client.example")
        for host in ["192.0.2.7", "::1", "", "*", "client.example\0.invalid"] {
            _ = Self.fault(certificate, host: host)
        }
        let found = SubjectKey.digest(of: certificate)
        try BrokenProperty.unless(found == nil || found?.count == 32, "a digest has \(found?.count ?? 0) bytes")
        try BrokenProperty.unless(digest == nil || digest?.count == 32, "a digest has \(digest?.count ?? 0) bytes")
        try BrokenProperty.unless(digest != nil || fault != nil, "a certificate without a key is taken")
        // A name is only taken where its last label stands in the certificate.
        let names = certificate.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard names.firstRange(of: Array("invalid".utf8)) == nil else { return }
        try BrokenProperty.unless(
            Self.fault(certificate, host: Self.stranger) != nil,
            "a certificate is taken for a host that it doesn't name")
    }

    private static func fault(_ certificate: [UInt8], host: String) -> CertificateFault? {
        do throws(CertificateFault) {
            try CertificateVerification.check([certificate], trust: .only([certificate]), role: .server(host: host))
            return nil
        } catch {
            return error
        }
    }

    /// A certificate that is made for a name is good for this name, and for no other.
    private func checkMade(_ bytes: [UInt8]) throws(BrokenProperty) {
        let name = String(decoding: bytes.prefix(300), as: UTF8.self)
        guard let made = try? SelfSignedCertificate(commonName: "Sealite", dnsNames: [name]) else { return }
        try BrokenProperty.unless(
            (try? CertificateVerification.checkSelfSigned(made.certificate)) != nil, "what was made isn't self-signed")
        try BrokenProperty.unless(
            Self.fault(made.certificate, host: Self.stranger) != nil || name.lowercased() == Self.stranger,
            "a certificate for \(name) is taken for another host")
    }

    /// First inputs: certificates with names of every kind, and names to make one of.
    static func seeds() throws -> [[UInt8]] {
        let names = ["client.example", "a", "a-b.c", "xn--bcher-kva.example", "a,DNS:b", "a:b", ".", "-", ""]
        var seeds = names.map { [1] + Array($0.utf8) }
        for (hosts, addresses) in [
            (["client.example", "b.example"], ["192.0.2.7", "::1"]), ([], []), (["localhost"], []),
        ] {
            let made = try SelfSignedCertificate(
                commonName: "Žofie", dnsNames: hosts, addresses: addresses, validity: .seconds(36_500 * 86_400))
            seeds.append([0] + made.certificate)
        }
        return seeds
    }
}
