import Foundation
import SealiteCrypto
import Testing

@Suite("client identities")
struct ClientIdentityTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/Certificates")
    private static let noon2026: Int64 = 1_790_000_000

    private func file(_ name: String) throws -> SecretBytes {
        let data = try Data(contentsOf: Self.folder.appending(path: name))
        return SecretBytes(copying: Array(data))
    }

    private func pass(_ text: String = "open sesame") -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

    private func code(_ body: () throws -> Void) -> IdentityError.Code? {
        do { try body() } catch { return (error as? IdentityError)?.code }
        return nil
    }

    private func pkcs12(_ name: String, _ passphrase: String? = "open sesame") -> IdentityError.Code? {
        code {
            let file = try file(name)
            _ =
                try passphrase.map { try ClientIdentity(pkcs12: file, passphrase: pass($0)).notAfter }
                ?? ClientIdentity(pkcs12: file, passphrase: nil).notAfter
        }
    }

    private func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
        unsafe secret.withUnsafeBytes { unsafe Array($0) }
    }

    @Test("PKCS#12 and PEM give the same key and chain, the key's own certificate first")
    func reading() throws {
        let packed = try ClientIdentity(pkcs12: try file("client.p12"), passphrase: pass())
        let plain = try ClientIdentity(
            pemCertificates: try file("chain.pem"), pemPrivateKey: try file("client.key"), passphrase: nil)
        let encrypted = try ClientIdentity(
            pemCertificates: try file("chain.pem"), pemPrivateKey: try file("client-encrypted.key"), passphrase: pass())
        let chain = packed.certificates
        #expect(chain.count == 3 && Set(chain).count == 3)
        #expect(plain.certificates == chain)
        #expect(encrypted.certificates == chain)
        let key = bytes(packed.privateKey)
        #expect(bytes(plain.privateKey) == key)
        #expect(bytes(encrypted.privateKey) == key)
        // A sequence with the algorithm's identifier of elliptic curves: PKCS#8, not the older form.
        #expect(key.first == 0x30 && key.count == 138)
        #expect(packed.subject == "/CN=ana")
        #expect(packed.notBefore == 1_577_836_800 && packed.notAfter == 4_701_974_400)
        try packed.requireValid(at: Self.noon2026)
        let open = try ClientIdentity(pkcs12: try file("open.p12"), passphrase: nil)
        #expect(open.certificates == Array(chain.prefix(1)))
    }

    @Test("a certificate with a time that can't be read is refused as that")
    func unreadableTime() throws {
        let whole = try ClientIdentity(
            pemCertificates: try file("chain.pem"), pemPrivateKey: try file("client.key"), passphrase: nil)
        var certificate = try #require(whole.certificates.first)
        // The end of the time at which the certificate begins to be valid.
        let time = try #require(certificate.firstRange(of: Array("0000Z".utf8)))
        certificate[time.upperBound - 1] = UInt8(ascii: "!")
        let damaged =
            "-----BEGIN CERTIFICATE-----\n\(Data(certificate).base64EncodedString())\n-----END CERTIFICATE-----\n"
        let found = code {
            _ = try ClientIdentity(
                pemCertificates: SecretBytes(copying: Array(damaged.utf8)), pemPrivateKey: try file("client.key"),
                passphrase: nil
            ).notAfter
        }
        #expect(found == .badCertificate)
    }

    @Test("an error shows a name that no certificate can have without its control characters")
    func badName() {
        let error = #expect(throws: CryptoError.self) {
            _ = try SelfSignedCertificate(commonName: "Sealite", dnsNames: ["a\u{1B}[2Jb\n"])
        }
        #expect(error?.reason.hasPrefix(#""a\u{1B}[2Jb\n" isn't a DNS name"#) == true)
    }

    @Test("what is wrong with a PKCS#12 file is an error of its own")
    func faults() throws {
        #expect(pkcs12("client.p12", "sesame") == .wrongPassphrase)
        #expect(pkcs12("client.p12", nil) == .wrongPassphrase)
        #expect(pkcs12("no-key.p12") == .noPrivateKey)
        #expect(pkcs12("no-certificate.p12") == .noCertificate)
        #expect(pkcs12("legacy.p12") == nil)
        #expect(pkcs12("client.key") == .notPKCS12)
        let expired = try ClientIdentity(pkcs12: try file("expired.p12"), passphrase: pass())
        let error = #expect(throws: IdentityError.self) { try expired.requireValid(at: Self.noon2026) }
        #expect(error?.code == .expired)
        let early = #expect(throws: IdentityError.self) { try expired.requireValid(at: 0) }
        #expect(early?.code == .notYetValid)
    }

    @Test("a PKCS#12 file that asks for four billion iterations is refused at once")
    func hostileIterations() throws {
        var bytes = bytes(try file("client.p12"))
        // RFC 7292 §4: the file ends with MacData, and that with its iterations, here an INTEGER of two bytes.
        let iterations = bytes.count - 4
        #expect(bytes[iterations] == 0x02 && bytes[iterations + 1] == 2)
        let macData = try #require(
            bytes.indices.last { $0 < iterations && bytes[$0] == 0x30 && Int(bytes[$0 + 1]) == bytes.count - $0 - 2 })
        #expect(bytes[0] == 0x30 && bytes[1] == 0x82 && bytes[macData + 1] < 0x7C && bytes[3] < 0xFC)
        bytes.replaceSubrange(iterations..., with: [0x02, 5, 0, 0xFF, 0xFF, 0xFF, 0xFF])
        bytes[macData + 1] += 3
        bytes[3] += 3
        let error = #expect(throws: IdentityError.self) {
            _ = try ClientIdentity(pkcs12: SecretBytes(copying: bytes), passphrase: pass()).notAfter
        }
        #expect(error?.code == .unsupported)
        #expect(error?.reason.contains("iterations") == true)
    }

    @Test(
        "a file whose parts ask for hours is refused before any is tried: under a right MAC, in other parts, or together",
        arguments: ["costly.p12", "costly-inside.p12", "costly-together.p12"])
    func hostileParts(_ name: String) throws {
        let error = #expect(throws: IdentityError.self) {
            _ = try ClientIdentity(pkcs12: try file(name), passphrase: pass()).notAfter
        }
        #expect(error?.code == .unsupported)
        #expect(error?.reason.contains("20000000 iterations") == true)
    }

    @Test(
        "an encrypted key in PEM that asks for hours is refused before it is tried, also inside of PEM's older encryption",
        arguments: [
            ("costly-pbkdf2.key", "20000000 iterations"), ("costly-hidden.key", "20000000 iterations"),
            ("costly-scrypt.key", "p 16384 is out of bounds"),
        ])
    func hostileKeys(_ name: String, _ words: String) throws {
        let error = #expect(throws: IdentityError.self) {
            _ = try ClientIdentity(
                pemCertificates: try file("chain.pem"), pemPrivateKey: try file(name), passphrase: pass()
            ).notAfter
        }
        #expect(error?.code == .unsupported)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    @Test("a key under scrypt as OpenSSL writes it is read")
    func scrypt() throws {
        let identity = try ClientIdentity(
            pemCertificates: try file("chain.pem"), pemPrivateKey: try file("client-scrypt.key"), passphrase: pass())
        #expect(identity.subject == "/CN=ana")
    }

    private func pem(_ certificates: String, _ key: String, _ passphrase: String? = nil) -> IdentityError.Code? {
        code {
            let certificates = try file(certificates)
            let key = try file(key)
            _ =
                try passphrase.map {
                    try ClientIdentity(pemCertificates: certificates, pemPrivateKey: key, passphrase: pass($0)).notAfter
                } ?? ClientIdentity(pemCertificates: certificates, pemPrivateKey: key, passphrase: nil).notAfter
        }
    }

    @Test("what is wrong with PEM files is an error of its own, and nothing is asked on a terminal")
    func pemFaults() throws {
        #expect(pem("chain.pem", "other.key") == .mismatch)
        #expect(pem("chain.pem", "client-encrypted.key") == .wrongPassphrase)
        #expect(pem("chain.pem", "client-encrypted.key", "sesame") == .wrongPassphrase)
        #expect(pem("client.key", "client.key") == .noCertificate)
        #expect(pem("chain.pem", "chain.pem") == .noPrivateKey)
        #expect(pem("client.p12", "client.key") == .noCertificate)
        let text = try String(contentsOf: Self.folder.appending(path: "chain.pem"), encoding: .utf8)
        let torn = SecretBytes(copying: Array(text.replacing("MII", with: "M!!").utf8))
        #expect(
            code {
                _ = try ClientIdentity(
                    pemCertificates: torn, pemPrivateKey: try file("client.key"), passphrase: nil
                ).notAfter
            } == .notPEM)
    }

    @Test("a key whose private part is damaged is refused, though the public part that it states fits the certificate")
    func damagedScalar() throws {
        let lines = try String(contentsOf: Self.folder.appending(path: "client.key"), encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("-----") }
        var key = try #require(Data(base64Encoded: lines.joined()))
        // RFC 5915 §3: the version, and the private part as an OCTET STRING of 32 bytes.
        let start = try #require(key.firstRange(of: [0x02, 0x01, 0x01, 0x04, 0x20])).upperBound
        key[start + 31] ^= 1
        let text = "-----BEGIN PRIVATE KEY-----\n\(key.base64EncodedString())\n-----END PRIVATE KEY-----\n"
        #expect(
            code {
                _ = try ClientIdentity(
                    pemCertificates: try file("chain.pem"), pemPrivateKey: SecretBytes(copying: Array(text.utf8)),
                    passphrase: nil
                ).notAfter
            } == .mismatch)
    }

    @Test("a damaged key without encryption is called damaged, also below a remark about encryption")
    func remark() throws {
        let text = try String(contentsOf: Self.folder.appending(path: "client.key"), encoding: .utf8)
        let torn = SecretBytes(copying: Array("not ENCRYPTED\n\(text.replacing("MIG", with: "M!!"))".utf8))
        #expect(
            code {
                _ = try ClientIdentity(
                    pemCertificates: try file("chain.pem"), pemPrivateKey: torn, passphrase: nil
                ).notAfter
            } == .notPEM)
    }

    @Test("a file with any byte changed gives an error or the same identity, never another key")
    func mutations() throws {
        let whole = try Data(contentsOf: Self.folder.appending(path: "client.p12"))
        let key = bytes(try ClientIdentity(pkcs12: try file("client.p12"), passphrase: pass()).privateKey)
        for offset in stride(from: 0, to: whole.count, by: 97) {
            var changed = whole
            changed[offset] ^= 0x55
            let file = SecretBytes(copying: Array(changed))
            do throws(IdentityError) {
                let identity = try ClientIdentity(pkcs12: file, passphrase: pass())
                #expect(bytes(identity.privateKey) == key)
            } catch {
                #expect(error.code != .failed, "byte \(offset)")
            }
        }
    }
}
