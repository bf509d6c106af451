import Foundation
import SealiteCrypto
import SealiteTestSupport
import Testing

@Suite("the public key of a certificate, by its place")
struct SubjectKeyTests {
    /// Certificates of the fixtures, some made here, and those that the system trusts.
    private func certificates() throws -> [[UInt8]] {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/Certificates/chain.pem").path
        let read = [fixture, "/etc/ssl/certs/ca-certificates.crt"].flatMap { path in
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
                part.components(separatedBy: "-----END").first.flatMap {
                    Data(base64Encoded: $0, options: .ignoreUnknownCharacters).map { Array($0) }
                }
            }
        }
        #expect(read.count >= 2)
        let names = [["localhost"], ["a.example", "b.example"], (0..<60).map { "host-\($0).example" }]
        return try read + names.map { try SelfSignedCertificate(commonName: "Sealite", dnsNames: $0).certificate }
    }

    @Test("OpenSSL finds the same key in each certificate")
    func certificatesOfAll() throws {
        for certificate in try certificates() {
            let parsed = try CertificateVerification.publicKeyDigest(of: certificate)
            #expect(SubjectKey.digest(of: certificate) == parsed)
        }
    }

    @Test("what is cut off, longer, or has another form isn't read")
    func others() throws {
        let certificate = try #require(try certificates().first)
        for count in 0..<certificate.count { #expect(SubjectKey.digest(of: Array(certificate.prefix(count))) == nil) }
        #expect(SubjectKey.digest(of: certificate + [0]) == nil)
        // A length of four bytes, one without bytes, one with a zero in front, and a tag of several bytes.
        for header: [UInt8] in [[0x30, 0x84], [0x30, 0x80], [0x30, 0x83, 0x00], [0x3f, 0x82]] {
            #expect(SubjectKey.digest(of: header + certificate.dropFirst(2)) == nil)
        }
    }

    @Test("changed certificates are read without harm", arguments: TestSeed.seeds(4))
    func changed(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let all = try certificates()
        for _ in 0..<2_000 {
            guard var bytes = all.randomElement(using: &random) else { break }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Mostly near the beginning, where the lengths are.
                let reach = Bool.random(using: &random) ? min(40, bytes.count) : bytes.count
                bytes[Int.random(in: 0..<reach, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let digest = SubjectKey.digest(of: bytes) { #expect(digest.count == SHA256.byteCount) }
        }
    }
}
