import Foundation
import SealiteFile
import Testing

/// The commands on a vault; those on a real Secret Service are in `StoredKeyTests`.
@Suite("sealite credential, on a vault")
struct CredentialCommandTests {
    private let place: Workplace
    private let notes = "https://sync.example.com/notes"

    init() throws { place = try Workplace() }

    /// A home of the test's own, and no session bus.
    private var environment: [String: String] {
        [
            "HOME": place.path, "XDG_DATA_HOME": place.file("data"), "XDG_CONFIG_HOME": place.file("config"),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(place.file("no-bus"))",
        ]
    }

    @discardableResult
    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path, "credential"] + arguments, input: input, environment: environment)
    }

    private func set(_ password: String, _ arguments: String...) throws -> Outcome {
        try place.run(
            [Tool.path, "credential", "set", notes, "--vault-key-file", "key"] + arguments, input: password,
            environment: environment)
    }

    @Test("a password is stored, shown, listed and removed; the vault is made with the first")
    func life() throws {
        let first = try set("s3cret\n", "--user", "ana")
        #expect(first.status == 0, "\(first.err)")
        #expect(first.err.contains("made the vault") && first.err.hasSuffix("\"\n") && first.out.contains("stored"))
        #expect(try place.mode("data/sealite/vault.db") == 0o600)
        let shown = try run("get", "wss://sync.example.com/notes/_blipsync", "--vault-key-file", "key")
        #expect(shown.status == 0 && shown.out.contains("ana") && !shown.out.contains("s3cret"))
        let secret = try run("get", notes, "--reveal", "--vault-key-file", "key")
        #expect(secret.out == "s3cret")
        let list = try run("list", "--json", "--vault-key-file", "key")
        let items = Outcome.object(list.out)?["items"] as? [[String: Any]]
        #expect(items?.count == 1 && items?.first?["account"] as? String == "ana" && !list.out.contains("s3cret"))
        #expect(try run("remove", notes, "--vault-key-file", "key").status == 0)
        let gone = try run("get", notes, "--vault-key-file", "key", "--json")
        #expect(gone.status == 66 && gone.json?["code"] as? String == "not-found")
    }

    @Test("without a passphrase for it no vault is made, and none is called locked; one that is there is locked")
    func noPassphrase() throws {
        let missing = try run("set", notes, "--user", "ana", "--store", "vault", input: "s3cret\n")
        #expect(missing.status == 66 && missing.err.contains("there is no vault"), "\(missing.err)")
        #expect(missing.err.contains("--vault-passphrase-file"))
        #expect(try set("s3cret\n", "--user", "ana").status == 0)
        let locked = try run("get", notes, "--store", "vault")
        #expect(locked.err.contains("is locked, and no key for it was given"), "\(locked.err)")
    }

    @Test("of several kinds the one to remove has to be named, and the others stay")
    func severalKinds() throws {
        #expect(try set("a", "--user", "ana").status == 0)
        #expect(try set("token", "--user", "ana", "--bearer").status == 0)
        let unclear = try run("remove", notes, "--vault-key-file", "key")
        #expect(unclear.status == 64 && unclear.err.contains("bearer, password") && unclear.err.contains("--kind"))
        #expect(try run("remove", notes, "--kind", "bearer", "--vault-key-file", "key").status == 0)
        #expect(try run("remove", notes, "--vault-key-file", "key").out.contains("(password)"))
    }

    @Test("an error's text can't steer a terminal")
    func controls() throws {
        #expect(try set("a", "--user", "ana").status == 0)
        let missing = try run("get", "no\u{9B}31mservice", "--vault-key-file", "key")
        #expect(missing.status == 66 && missing.err.contains("no\\x9b31mservice"), "\(missing.err)")
    }

    @Test("each error has its exit code")
    func errors() throws {
        #expect(try run("get", notes, "--vault-key-file", "key").status == 66)
        #expect(try set("a", "--user", "ana").status == 0)
        #expect(try set("b", "--user", "bob").status == 0)
        let ambiguous = try run("get", notes, "--vault-key-file", "key")
        #expect(ambiguous.status == 64 && ambiguous.err.contains("\"ana\", \"bob\""))
        #expect(try run("get", notes, "--user", "bob", "--reveal", "--vault-key-file", "key").out == "b")
        try place.write([UInt8](repeating: 1, count: 32), to: "wrong")
        #expect(try run("list", "--vault-key-file", "wrong").status == 77)
        let away = try run("list", "--json")
        #expect(away.status == 69 && away.json?["code"] as? String == "no-session-bus")
        let hint = away.json?["hint"] as? String
        #expect(hint?.contains("can be used instead: give its passphrase with --vault-passphrase-file") == true)
        #expect(try run("list", "--store", "vault").status == 69)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: place.file("data/sealite/vault.db"))
        #expect(try run("list", "--vault-key-file", "key").status == 78)
        #expect(try set("x").status == 64)
        #expect(try set("x", "--user", "").status == 64)
        #expect(try run("set", "ftp://h/", "--user", "a", "--vault-key-file", "key", input: "x").status == 64)
    }

    @Test("a passphrase opens a vault, from a file, from systemd and from the terminal")
    func passphrases() throws {
        let made = try run(
            "set", notes, "--user", "ana", "--vault-passphrase-file", "passphrase", "--vault-kdf-log-n", "5",
            input: "one")
        #expect(made.status == 0, "\(made.err)")
        try FileManager.default.createDirectory(atPath: place.file("creds"), withIntermediateDirectories: false)
        try place.write("open sesame", to: "creds/sealite.vault")
        let systemd = try place.run(
            [Tool.path, "credential", "get", notes, "--reveal"],
            environment: environment.merging(["CREDENTIALS_DIRECTORY": place.file("creds")]) { $1 })
        #expect(systemd.out == "one", "\(systemd.err)")
        // A vault's key that systemd gives counts before the configuration file's, whose key isn't read.
        try FileManager.default.createDirectory(
            atPath: place.file("config/sealite"), withIntermediateDirectories: true)
        try place.write("vault-key-file = /none\n", to: "config/sealite/config", mode: 0o600)
        let both = try place.run(
            [Tool.path, "credential", "get", notes, "--reveal"],
            environment: environment.merging(["CREDENTIALS_DIRECTORY": place.file("creds")]) { $1 })
        #expect(both.out == "one", "\(both.err)")
        // Nor is it if the Secret Service is this user's store.
        #expect(try run("use", "secret-service").status == 0)
        let away = try run("list", "--json")
        #expect(away.json?["code"] as? String == "no-session-bus", "\(away.err)")
    }

    @Test("credentials keep their own labels under another service, and get the standard one otherwise")
    func renamed() throws {
        #expect(try set("one", "--user", "ana", "--label", "mine").status == 0)
        #expect(try set("two", "--user", "bo").status == 0)
        let other = "https://other.example.com/notes"
        #expect(try run("rename", notes, other, "--vault-key-file", "key").status == 0)
        let list = try run("list", "--json", "--vault-key-file", "key")
        let items = Outcome.object(list.out)?["items"] as? [[String: Any]] ?? []
        let labels = items.map { $0["label"] as? String ?? "" }
        #expect(labels.count == 2 && labels.first == "mine" && labels.last?.contains("other.example.com") == true)
    }

    @Test("the setting decides, and is forgotten; status tells which store and why")
    func setting() throws {
        let none = try run("status", "--json")
        #expect(none.status == 69 && Outcome.object(none.out)?["usable"] as? Bool == false)
        #expect(Outcome.object(none.out)?["serviceError"] as? String == "no-session-bus")
        #expect(try run("use", "vault").status == 0)
        #expect(try run("list").status == 66)
        #expect(try set("one", "--user", "ana").status == 0)
        let asked = try run("status", "--vault-key-file", "key")
        #expect(asked.status == 0 && asked.out.contains("because it was asked for"), "\(asked)")
        try place.write("vault-key-file = \(place.file("key"))\n", to: "config/sealite/config")
        let status = try run("status", "--json")
        #expect(status.status == 0 && Outcome.object(status.out)?["store"] as? String == "vault")
        #expect((Outcome.object(status.out)?["reason"] as? String)?.contains("setting") == true)
        #expect(try run("use", "--none").status == 0)
        let given = try run("status")
        #expect(given.status == 0 && given.out.contains("because its key was given"))
    }

    @Test("a key for the vault in an option chooses the vault at the set path, whatever variable and setting say")
    func chosenByKey() throws {
        #expect(try run("use", "vault", "--vault", place.file("own/vault.db")).status == 0)
        #expect(try set("one", "--user", "ana").status == 0)
        #expect(place.exists("own/vault.db"))
        let listed = try run("list", "--store", "vault", "--vault-key-file", "key")
        #expect(listed.out.contains("ana"), "\(listed)")
        #expect(try run("use", "secret-service").status == 0)
        for (user, store) in [("bo", "vault"), ("eve", "secret-service")] {
            let made = try place.run(
                [Tool.path, "credential", "set", notes, "--user", user, "--vault-key-file", "key"], input: "two",
                environment: environment.merging(["SEALITE_STORE": store]) { $1 })
            #expect(made.status == 0, "\(made)")
        }
        #expect(place.exists("data/sealite/vault.db"))
        #expect(try run("list", "--json").json?["code"] as? String == "no-session-bus")
    }

    @Test("the memory for a vault's passphrase is limited, and the hint names the option that raises the limit")
    func vaultMemory() throws {
        let key = ["--vault-passphrase-file", "passphrase"]
        func run(_ arguments: [String]) throws -> Outcome {
            try place.run([Tool.path, "credential"] + arguments + key, input: "one", environment: environment)
        }
        #expect(try run(["set", notes, "--user", "ana", "--vault-kdf-log-n", "5"]).status == 0)
        let refused = try run(["list", "--vault-max-kdf-memory", "1K", "--json"])
        #expect((refused.json?["hint"] as? String)?.contains("--vault-max-kdf-memory") == true, "\(refused)")
        #expect(try run(["list", "--vault-max-kdf-memory", "1M"]).status == 0)
    }

    @Test("a session's id is read from standard input too; options of another kind of credential are refused")
    func sessionInput() throws {
        func keep(_ arguments: [String]) throws -> Outcome {
            try place.run(
                [Tool.path, "credential", "set", notes, "--user", "ana", "--vault-key-file", "key"] + arguments,
                input: "cookie\n", environment: environment)
        }
        let kept = try keep(["--session-file", "-"])
        #expect(kept.status == 0, "\(kept)")
        #expect(try run("get", notes, "--kind", "session", "--reveal", "--vault-key-file", "key").out == "cookie")
        for stray in [
            ["--cookie-name", "c"], ["--expires", "2030-01-31T12:00:00Z"], ["--allow-expired"],
            ["--identity-passphrase-file", "passphrase"],
        ] {
            let refused = try keep(stray)
            #expect(refused.status == 64 && refused.err.contains("\(stray[0]) can be given only with"), "\(refused)")
        }
    }

    @Test("a dozen processes store at once, and nothing is lost")
    func processes() throws {
        #expect(try set("0", "--user", "u0").status == 0)
        var children: [ChildProcess] = []
        for number in 1...12 {
            try place.write("\(number)", to: "in\(number)")
            children.append(
                try ChildProcess(
                    [
                        Tool.path, "credential", "set", notes, "--user", "u\(number)", "--vault-key-file", "key",
                        "--store-timeout", "60",
                    ], folder: place.path, environment: environment,
                    files: [
                        (0, place.file("in\(number)"), O_RDONLY), (1, "/dev/null", O_WRONLY),
                        (2, "/dev/null", O_WRONLY),
                    ]))
        }
        for child in children { #expect(child.wait() == 0) }
        let list = try run("list", "--json", "--vault-key-file", "key", "--store-timeout", "60")
        #expect((Outcome.object(list.out)?["items"] as? [Any])?.count == 13)
        #expect(try run("get", notes, "--user", "u7", "--reveal", "--vault-key-file", "key").out == "7")
    }

    @Test("an export holds everything, and another vault takes it in")
    func transfer() throws {
        #expect(try set("one", "--user", "ana").status == 0)
        let exported = try run("export", "all.sealed", "--new-key-file", "key", "--vault-key-file", "key")
        #expect(exported.status == 0 && exported.out.contains("exported 1"), "\(exported.err)")
        let imported = try run(
            "import", "all.sealed", "--key-file", "key", "--vault", place.file("other/vault.db"), "--vault-key-file",
            "key")
        #expect(imported.status == 0 && imported.out.contains("imported 1"), "\(imported.err)")
        let found = try run(
            "get", notes, "--reveal", "--vault", place.file("other/vault.db"), "--vault-key-file", "key")
        #expect(found.out == "one")
        #expect(try run("export", "all.sealed", "--new-key-file", "key", "--vault-key-file", "key").status == 73)
    }

    @Test("a PKCS#12 file with two keys, of obsolete encryption or without a passphrase has the next step in its error")
    func unusualIdentities() throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/Certificates")
        for name in ["PKCS12/java-two-keys.p12", "legacy.p12", "PKCS12/openssl-no-mac-plain.p12"] {
            let file = fixtures.appending(path: name)
            try place.write(Data(contentsOf: file), to: file.lastPathComponent)
        }
        func keep(_ arguments: [String], modules: String? = nil) throws -> Outcome {
            try place.run(
                [Tool.path, "credential", "set", notes, "--vault-key-file", "key"] + arguments,
                environment: environment.merging(modules.map { ["OPENSSL_MODULES": $0] } ?? [:]) { $1 })
        }
        let passphrase = ["--identity-passphrase-file", "passphrase"]
        let two = try keep(["--identity", "java-two-keys.p12"] + passphrase)
        #expect(two.status == 64 && two.err.contains("\"ana\" (/CN=ana), \"bo\" (/CN=bo)"), "\(two)")
        #expect(two.err.contains("--identity-name"))
        let named = try keep(["--identity", "java-two-keys.p12", "--identity-name", "bo"] + passphrase)
        #expect(named.status == 0, "\(named)")
        #expect(try keep(["--certificate", "a", "--private-key", "b", "--identity-name", "bo"]).status == 64)
        #expect(try keep(["--identity", "legacy.p12"] + passphrase).status == 0)
        // As on a system without OpenSSL's legacy provider.
        let missing = try keep(["--identity", "legacy.p12"] + passphrase, modules: place.path)
        #expect(missing.status == 65 && missing.err.contains("encrypted with RC2-40-CBC"), "\(missing)")
        #expect(missing.err.contains("hint: install OpenSSL's legacy provider"))
        // The conversion that hints name, and a key without a passphrase.
        let converted = try place.run(
            [
                "openssl", "pkcs12", "-legacy", "-in", "legacy.p12", "-out", "new.pem", "-passin", "file:passphrase",
                "-passout", "pass:open sesame",
            ])
        #expect(converted.status == 0, "\(converted)")
        #expect(try keep(["--certificate", "new.pem", "--private-key", "new.pem"] + passphrase).status == 0)
        #expect(try keep(["--identity", "legacy.p12"]).err.contains("--identity-passphrase-file"))
        #expect(try keep(["--identity", "openssl-no-mac-plain.p12"] + passphrase).status == 77)
        #expect(try keep(["--identity", "openssl-no-mac-plain.p12"]).status == 0)
    }

    @Test("a client identity is read from PKCS#12 and PEM, and each fault has its error")
    func identities() throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/Certificates")
        for name in ["client.p12", "expired.p12", "no-key.p12", "client.key", "chain.pem"] {
            try place.write(Data(contentsOf: fixtures.appending(path: name)), to: name)
        }
        func keep(_ arguments: String...) throws -> Outcome {
            try place.run(
                [Tool.path, "credential", "set", notes, "--json", "--vault-key-file", "key"] + arguments,
                environment: environment)
        }
        let good = try keep("--identity", "client.p12", "--identity-passphrase-file", "passphrase")
        #expect(good.status == 0, "\(good.err)")
        #expect(try run("get", notes, "--vault-key-file", "key").out.contains("client-identity"))
        #expect(try keep("--certificate", "chain.pem", "--private-key", "client.key").status == 0)
        let kept = try run("get", notes, "--reveal", "--vault-key-file", "key").out
        #expect(kept.contains(#""privateKey":"#))
        try place.write("open sesami", to: "wrong passphrase")
        for wrong in [
            try keep("--identity", "client.p12", "--identity-passphrase-file", "wrong passphrase"),
            try keep("--identity", "client.p12"),
        ] {
            #expect(wrong.status == 77 && wrong.json?["code"] as? String == "wrong-passphrase", "\(wrong)")
        }
        let expired = try keep("--identity", "expired.p12", "--identity-passphrase-file", "passphrase")
        #expect(expired.status == 65 && expired.json?["code"] as? String == "expired")
        let bare = try keep("--identity", "no-key.p12", "--identity-passphrase-file", "passphrase")
        #expect(bare.json?["code"] as? String == "no-private-key")
        #expect(try run("get", notes, "--reveal", "--vault-key-file", "key").out == kept)
        try place.write("cookie-value", to: "session")
        #expect(try keep("--session-file", "session", "--expires", "2030-01-31T12:00:00Z").status == 0)
        #expect(try run("get", notes, "--kind", "session", "--reveal", "--vault-key-file", "key").out == "cookie-value")
    }
}
