import Foundation
import SealiteCrypto
import SealiteFile
import Testing

@Suite("where keys come from")
struct KeySourceTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    private func check(_ arguments: [String], environment: [String: String] = [:], files: [CInt: String] = [:]) throws
        -> Outcome
    {
        try place.run(
            [Tool.path, "key", "check", "a.db", "--json"] + arguments, environment: environment, files: files)
    }

    private func addPassphrase(_ bytes: [UInt8]) throws {
        let secret = unsafe SecretBytes(copying: bytes.span.bytes)
        try place.open().addSlot(.passphrase(NewPassphrase(secret, cost: Scrypt.Cost(logN: 4))))
    }

    @Test("two sources are a usage error that names both")
    func twoSources() throws {
        let refused = try check(["--key-file", "key", "--passphrase-fd", "3"])
        #expect(refused.status == 64)
        #expect((refused.json?["message"] as? String)?.contains("--passphrase-fd and --key-file") == true)
    }

    @Test("a key file holds 32 bytes, or 64 hex digits and a line end")
    func keyFileShapes() throws {
        let hex = Workplace.key.map { String(format: "%02x", $0) }.joined()
        for (text, status) in [
            (hex, 0), (hex.uppercased() + "\n", 0), (hex + "\r\n", 0), (hex + "\n\n", 64), (hex + "0", 64),
        ] {
            try place.write(text, to: "hex")
            #expect(try check(["--key-file", "hex"]).status == status, "\(text.count) characters")
        }
        try place.write(Workplace.key + [10], to: "long")
        #expect(try check(["--key-file", "long"]).status == 64)
    }

    @Test("a file that is no key file is refused with what it holds and what a key file holds, and isn't quoted")
    func otherContent() throws {
        let recovery = try place.sealite(
            "key", "add", "a.db", "--key-file", "key", "--new-recovery-key-file", "paper")
        #expect(recovery.status == 0, "\(recovery)")
        for (content, found, hint) in [
            ("hunter2\n", "8 bytes of text", "--passphrase-file"), ("abcdef\n", "6 hex digits", "--passphrase-file"),
            (String(repeating: "ab", count: 31), "62 hex digits", "--passphrase-file"), ("", "nothing", nil),
            ("-----BEGIN PRIVATE KEY-----\nabcdef\n", "PEM text, such as a certificate or a private key", nil),
            ("\u{1}\u{2}\u{3}", "3 bytes", nil), (String(repeating: "x", count: 2000), "2000 bytes", nil),
        ] {
            try place.write(content, to: "other")
            for option in ["--key-file", "--recovery-key-file"] where option == "--key-file" || content.count > 1026 {
                let refused = try check([option, "other"])
                let message = try #require(refused.json?["message"] as? String)
                #expect(refused.status == 64 && message.contains("it holds \(found), and a "), "\(refused)")
                #expect(option != "--key-file" || message.hasSuffix("64 hex digits with or without a line end"))
                #expect(!refused.err.contains("hunter2") && !refused.err.contains("abab"))
                if let hint { #expect((refused.json?["hint"] as? String)?.contains(hint) == true, "\(refused)") }
            }
        }
        let paper = try check(["--key-file", "paper"])
        #expect(paper.status == 64 && paper.err.contains("it holds a recovery key"), "\(paper)")
        #expect((paper.json?["hint"] as? String)?.contains("--recovery-key-file") == true, "\(paper)")
        let raw = try check(["--recovery-key-file", "key"])
        #expect(raw.status == 64 && raw.err.contains("it holds a raw key"), "\(raw)")
        #expect((raw.json?["hint"] as? String)?.contains("--key-file") == true, "\(raw)")
        let database = try check(["--key-file", "a.db"])
        #expect(database.status == 64 && database.err.contains("it isn't a key file: it holds "), "\(database)")
    }

    @Test("a passphrase is all bytes but one line end, 1 to 1024 of them, without NUL")
    func passphraseShapes() throws {
        try addPassphrase(Array("grüße \n".utf8))
        let longest = Array(repeating: UInt8(ascii: "x"), count: 1024)
        try addPassphrase(longest)
        for (bytes, status) in [
            (Array("grüße \n\n".utf8), 0), (Array("grüße \n".utf8), 77), (Array("gru\u{308}ße \n\n".utf8), 77),
            (longest, 0), (longest + [10], 0), (longest + [120], 64), ([], 64), ([10], 64), ([65, 0, 65], 64),
        ] as [([UInt8], CInt)] {
            try place.write(bytes, to: "typed")
            #expect(try check(["--passphrase-file", "typed"]).status == status, "\(bytes.prefix(20))")
        }
    }

    @Test("a secret's file that others may read is refused", arguments: [0o640, 0o604, 0o660, 0o602])
    func looseMode(mode: Int) throws {
        try place.write(Workplace.key, to: "loose", mode: mode)
        let refused = try check(["--key-file", "loose"])
        #expect(refused.status == 78)
        #expect(refused.json?["code"] as? String == "permission")
        #expect(refused.json?["hint"] != nil)
    }

    @Test("a source that isn't there is named, and nothing else is tried")
    func missingSource() throws {
        let refused = try check(["--key-file", "absent", "--prompt"])
        #expect(refused.status == 66)
        #expect((refused.json?["message"] as? String)?.contains("\"absent\"") == true)
    }

    @Test("a descriptor is read to its end, by number or by its name under /dev/fd")
    func descriptors() throws {
        try addPassphrase(Array("open sesame".utf8))
        #expect(try check(["--passphrase-fd", "5"], files: [5: "passphrase"]).status == 0)
        #expect(try check(["--passphrase-file", "/dev/fd/5"], files: [5: "passphrase"]).status == 0)
        #expect(try check(["--passphrase-fd", "9"]).status == 64)
        let piped = try place.run(
            ["sh", "-c", "printf 'open sesame\\n' | \"$0\" key check a.db --passphrase-fd 0", Tool.path])
        #expect(piped.status == 0 && piped.out.hasPrefix("opens slot 2: passphrase"))
    }

    @Test("systemd's credentials are taken where no option names a key, whatever their mode")
    func systemdCredentials() throws {
        try FileManager.default.createDirectory(atPath: place.file("creds"), withIntermediateDirectories: false)
        let environment = ["CREDENTIALS_DIRECTORY": place.file("creds")]
        #expect(try check([], environment: environment).status == 64)
        try place.write("open sesame", to: "creds/sealite.passphrase", mode: 0o444)
        let refused = try check([], environment: environment)
        #expect(refused.status == 77)
        #expect((refused.json?["message"] as? String)?.contains("sealite.passphrase") == true)
        try place.write(Workplace.key, to: "creds/sealite.key", mode: 0o440)
        #expect(try check([], environment: environment).status == 0)
        try place.write(Array(Workplace.key.reversed()), to: "creds/sealite.key", mode: 0o440)
        #expect(try check([], environment: environment).status == 77)
        #expect(try check(["--key-file", "key"], environment: environment).status == 0)
    }

    @Test("without a key and without a terminal the options are named", arguments: [[], ["--no-input"]])
    func noSource(extra: [String]) throws {
        let refused = try check(extra)
        #expect(refused.status == 64)
        let hint = try #require(refused.json?["hint"] as? String)
        for option in ["--passphrase-file", "--passphrase-fd", "--key-file", "--recovery-key-file", "--prompt"] {
            #expect(hint.contains(option))
        }
    }

    @Test("--unlock-slot tries that slot alone")
    func slot() throws {
        try addPassphrase(Array("open sesame".utf8))
        #expect(try check(["--passphrase-file", "passphrase", "--unlock-slot", "2"]).status == 0)
        #expect(try check(["--passphrase-file", "passphrase", "--unlock-slot", "1"]).status == 77)
    }

    @Test("a slot that asks for too much memory is refused before anything is allocated")
    func hostileCost() throws {
        try addPassphrase(Array("open sesame".utf8))
        var bytes = try place.read("a.db")
        for copy in [0, 4096] {
            bytes[copy + 384 + 256 + 24] = 30
            let digest = try SHA256.digest(of: Array(bytes[copy..<copy + 4072]))
            bytes.replaceSubrange(copy + 4072..<copy + 4096, with: digest.prefix(24))
        }
        try place.write(bytes, to: "a.db")
        let refused = try check(["--passphrase-file", "passphrase"])
        #expect(refused.status == 65)
        #expect(refused.json?["code"] as? String == "cost-refused")
    }

    @Test("no secret is in an error or on the command line")
    func errorsHoldNoSecret() throws {
        try place.write("AAAA-BBBB not a recovery key", to: "typed")
        let refused = try check(["--recovery-key-file", "typed"])
        #expect(refused.status == 64)
        #expect(!refused.err.contains("AAAA") && !refused.err.contains("BBBB"))
    }
}
