import Foundation
import SealiteCrypto
import Testing

/// Files of other programs; Fixtures/Certificates/README.md says how they were made.
@Suite("PKCS#12 files of other programs")
struct PKCS12FormsTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/Certificates")
    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil

    private func file(_ name: String) throws -> SecretBytes {
        SecretBytes(copying: Array(try Data(contentsOf: Self.folder.appending(path: name))))
    }

    private func read(
        _ name: String, _ passphrase: String? = "open sesame", key: String? = nil
    ) throws(IdentityError) -> ClientIdentity {
        guard let file = try? file("PKCS12/\(name).p12") else { throw .missing(name) }
        guard let passphrase else { return try ClientIdentity(pkcs12: file, passphrase: nil, name: key) }
        return try ClientIdentity(pkcs12: file, passphrase: SecretBytes(copying: Array(passphrase.utf8)), name: key)
    }

    private func failure(_ name: String, _ passphrase: String? = "open sesame", key: String? = nil) -> IdentityError? {
        do throws(IdentityError) {
            _ = try read(name, passphrase, key: key).notAfter
            return nil
        } catch { return error }
    }

    private func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
        unsafe secret.withUnsafeBytes { unsafe Array($0) }
    }

    private func expectAna(_ name: String, _ passphrase: String? = "open sesame") throws {
        let ana = try ClientIdentity(
            pemCertificates: try file("chain.pem"), pemPrivateKey: try file("client.key"), passphrase: nil)
        let found = try read(name, passphrase)
        #expect(found.certificates == ana.certificates && bytes(found.privateKey) == bytes(ana.privateKey), "\(name)")
    }

    @Test(
        "an identity is read with its whole chain, whatever program wrote it and with what encryption",
        arguments: [
            "openssl-3des", "openssl-rc2-128", "openssl-rc2-40-key", "openssl-rc4", "openssl-des", "openssl-pbes2-des",
            "openssl-camellia", "openssl-ripemd", "openssl-no-iterations", "openssl-few-iterations", "openssl-plain",
            "java", "java-legacy", "bouncycastle", "bouncycastle-3des", "nss", "gnutls", "python", "python-3des",
            "pbmac1",
        ])
    func makers(_ name: String) throws { try expectAna(name) }

    @Test(
        "600,000 iterations for each part are within the bounds, with the slower schemes too",
        .enabled(if: isSoak, "each takes seconds"),
        arguments: ["nss-legacy", "gnutls-3des", "gnutls-rc2-40", "gnutls-arcfour", "gnutls-aes-256"])
    func slow(_ name: String) throws { try expectAna(name) }

    @Test(
        "an empty passphrase and none are the same, in both encodings that programs write",
        arguments: ["openssl-empty", "openssl-empty-legacy", "python-plain"]
            + (isSoak ? ["gnutls-empty", "gnutls-null"] : []))
    func empty(_ name: String) throws {
        try expectAna(name, nil)
        try expectAna(name, "")
    }

    @Test("a passphrase beyond ASCII is encoded as each scheme states")
    func accents() throws {
        try expectAna("openssl-accents", "sésame 世界")
        try expectAna("openssl-accents-legacy", "sésame 世界")
        #expect(failure("openssl-accents-legacy", "sesame 世界")?.code == .wrongPassphrase)
    }

    @Test(
        "files that Windows 7, NSS of 2014 and OpenSSL wrote are read, in BER too",
        arguments: [
            ("boringssl-windows", "foo"), ("boringssl-nss", "foo"), ("boringssl-null", nil), ("boringssl-ber", ""),
        ])
    func published(_ name: String, _ passphrase: String?) throws {
        let identity = try read(name, passphrase)
        #expect(
            identity.certificates.count == 1
                && identity.subject.contains(name == "boringssl-windows" ? "/CN=" : "Internet Widgits Pty Ltd"))
    }

    @Test(
        "without a MAC, a key that the passphrase decrypts is read",
        arguments: [
            "openssl-no-mac", "openssl-no-mac-plain-certificates", "openssl-no-mac-legacy", "java-plain-certificates",
        ])
    func noMAC(_ name: String) throws {
        try expectAna(name)
        for passphrase in ["open sesami", nil] {
            let error = try #require(failure(name, passphrase))
            #expect(error.code == .wrongPassphrase && error.hint != nil, "\(name): \(error)")
        }
    }

    @Test(
        "a file without a MAC and encryption is read as PEM is, but not if a passphrase is given, as it protects nothing"
    )
    func unprotected() throws {
        try expectAna("openssl-no-mac-plain", nil)
        let error = try #require(failure("openssl-no-mac-plain"))
        #expect(error.code == .wrongPassphrase)
        #expect(
            error.description
                == "the passphrase protects nothing: the PKCS#12 file has no MAC, and its private key isn't encrypted"
                + " (if you trust the file, import it without a passphrase)")
    }

    @Test("of two keys one has to be named, by its alias or its certificate's subject")
    func twoKeys() throws {
        let error = try #require(failure("java-two-keys"))
        #expect(error.code == .severalKeys)
        #expect(
            error.reason.hasSuffix("2 private keys with certificates: \"ana\" (/CN=ana), \"bo\" (/CN=bo)"), "\(error)")
        let ana = try read("java-two-keys", key: "Ana")
        #expect(ana.subject == "/CN=ana" && ana.certificates.count == 3)
        let bo = try read("java-two-keys", key: "/CN=bo")
        #expect(bo.subject == "/CN=bo" && bo.certificates.count == 1)
        #expect(bytes(bo.privateKey) != bytes(ana.privateKey))
        let missing = try #require(failure("java-two-keys", key: "c\u{1B}[2J"))
        #expect(missing.code == .noPrivateKey && missing.reason.hasSuffix(#"has the name "c [2J""#), "\(missing)")
        #expect(missing.hint == "its keys are \"ana\" (/CN=ana), \"bo\" (/CN=bo)")
    }

    @Test("what can't be read has its reason and the next step")
    func refused() throws {
        let trusted = try #require(failure("java-trusted"))
        #expect(trusted.code == .noPrivateKey)
        #expect(trusted.reason == "there is no private key in the PKCS#12 file, and one certificate", "\(trusted)")
        let two = try #require(failure("java-two-passphrases"))
        #expect(
            two.code == .wrongPassphrase && two.reason.hasPrefix("the private key of the PKCS#12 file can't"), "\(two)")
        #expect(failure("nss", "open sesami")?.code == .wrongPassphrase)
        #expect(failure("pbmac1", "open sesami")?.code == .wrongPassphrase)
    }

    @Test(
        "a file with any one byte changed gives an error or the same identity; without a MAC, never another key",
        arguments: ["openssl-few-iterations", "openssl-no-mac", "pbmac1"])
    func mutations(_ name: String) throws {
        let whole = Array(try Data(contentsOf: Self.folder.appending(path: "PKCS12/\(name).p12")))
        let (key, certificates) = try { identity in (bytes(identity.privateKey), identity.certificates) }(read(name))
        let hasMAC = name != "openssl-no-mac"
        var refused = 0
        for offset in stride(from: 0, to: whole.count, by: name == "openssl-few-iterations" || Self.isSoak ? 1 : 7) {
            var changed = whole
            changed[offset] ^= UInt8(truncatingIfNeeded: 1 << (offset % 8))
            do throws(IdentityError) {
                let identity = try ClientIdentity(
                    pkcs12: SecretBytes(copying: changed), passphrase: SecretBytes(copying: Array("open sesame".utf8)))
                if bytes(identity.privateKey) != key || (hasMAC && identity.certificates != certificates) {
                    Issue.record("byte \(offset) gives another identity")
                }
            } catch {
                refused += 1
                if error.code == .failed { Issue.record("byte \(offset): \(error)") }
            }
        }
        #expect(refused > 0)
    }
}

extension IdentityError {
    fileprivate static func missing(_ name: String) -> IdentityError { fatalError("no fixture \(name)") }
}
