import Foundation
import Glibc
import Testing

/// What somebody types in the first hour.
@Suite("keys, settings and help")
struct FirstHourTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test("keygen makes a key file of its own that opens what is made with it, and never replaces a file")
    func keygen() throws {
        let made = try place.sealite("keygen", "-o", "new.key")
        #expect(made.status == 0 && made.out.hasPrefix("made the key file \"new.key\""))
        #expect(try place.mode("new.key") == 0o600 && place.size("new.key") == 65)
        #expect(try place.sealite("create", "a.db", "-k", "new.key", "-q").out.isEmpty)
        #expect(try place.sealite("key", "check", "a.db", "-k", "new.key").status == 0)
        #expect(try place.sealite("keygen", "-o", "new.key").status == 73)
        #expect(try place.sealite("keygen").out != (try place.sealite("keygen").out))
        let missing = try place.sealite("create", "b.db", "--key-file", "absent.key", "--json")
        #expect(missing.status == 66)
        #expect(missing.json?["hint"] as? String == "make one with 'sealite keygen -o absent.key'")
    }

    @Test("environment variables name keys; options count before them, and they before the configuration file")
    func environment() throws {
        try place.makeDatabase()
        try place.write("open sesame\n", to: "other")
        let key = ["SEALITE_KEY_FILE": "key"]
        #expect(try place.sealite("key", "check", "a.db", environment: key).status == 0)
        #expect(try place.sealite("key", "check", "a.db", "-p", "other", environment: key).status == 77)
        let both = key.merging(["SEALITE_PASSPHRASE_FILE": "other"]) { $1 }
        #expect(try place.sealite("key", "check", "a.db", environment: both).status == 64)
        try writeSettings("key-file = \(place.file("other"))\n")
        #expect(try place.sealite("key", "check", "a.db", environment: settings.merging(key) { $1 }).status == 0)
    }

    @Test("a secret's file that is lost isn't taken for a lost database, and a variable that names it is named")
    func lostSecret() throws {
        try place.makeDatabase()
        let lost = try place.sealite("key", "check", "a.db", "-p", "absent", "--json")
        #expect(lost.status == 66 && lost.json?["code"] as? String == "no-such-secret")
        #expect(lost.json?["path"] as? String == "absent")
        let database = try place.sealite("key", "check", "absent.db", "-p", "passphrase", "--json")
        #expect(database.status == 66 && database.json?["code"] as? String == "no-such-file")
        #expect(database.json?["path"] as? String == "absent.db" && database.json?["hint"] is String)
        let named = try place.sealite("key", "check", "a.db", environment: ["SEALITE_PASSPHRASE_FILE": "absent"])
        #expect(
            named.err
                == "sealite: SEALITE_PASSPHRASE_FILE names \"absent\", which doesn't exist in the current folder \"\(place.path)\"\n",
            "\(named)")
    }

    @Test("'-' is standard input for a passphrase too, and what was left out of a command line is said")
    func standardInput() throws {
        try place.makeDatabase()
        let key = String(
            decoding: Workplace.key.flatMap {
                Array(String($0 >> 4, radix: 16).utf8) + Array(String($0 & 15, radix: 16).utf8)
            }, as: UTF8.self)
        #expect(try place.sealite("key", "check", "a.db", "-k", "-", input: key).status == 0)
        let empty = try place.sealite("doc", "put", "a.db", "saw", "-k", "key")
        #expect(empty.status == 64 && empty.err.contains("standard input is empty; \"saw\" was taken for the id"))
        #expect(try place.sealite("doc", "put", "a.db", "saw", "{}", "-k", "key").status == 0)
        let revision = try place.sealite("doc", "put", "a.db", "saw", "{\"n\":1}", "-k", "key")
        #expect(revision.status == 0)
        let first =
            try place.sealite("doc", "history", "a.db", "saw", "-k", "key").out.split(separator: "\n").last ?? ""
        let gone = try place.sealite(
            "doc", "get", "a.db", "saw", "--revision", String(first), "-k", "key", "--json")
        #expect(gone.status == 66 && gone.json?["code"] as? String == "no-such-revision", "\(gone)")
        #expect(try place.sealite("doc", "ls", "a.db").err.contains("did you mean 'sealite doc list'?"))
    }

    private var settings: [String: String] { ["XDG_CONFIG_HOME": place.file("config"), "HOME": place.path] }

    private func writeSettings(_ text: String, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(atPath: place.file("config/sealite"), withIntermediateDirectories: true)
        try place.write(text, to: "config/sealite/config", mode: mode)
    }

    @Test("the configuration file names paths and commands")
    func configuration() throws {
        try place.makeDatabase()
        func check() throws -> Outcome { try place.sealite("key", "check", "a.db", "--json", environment: settings) }
        for line in [
            "key-file = ~/key", "# a comment\n\n  key-file=\(place.file("key"))", "vault = /none\nkey-file = ~/key",
        ] {
            try writeSettings(line + "\n")
            #expect(try check().status == 0, "\(line)")
        }
        #expect(
            try place.sealite("help", "config", environment: settings).out.contains(place.file("config/sealite/config"))
        )
    }

    @Test(
        "a configuration file that holds a secret, or is wrong, is refused without being quoted",
        arguments: [
            "passphrase = hunter2", "key-file = \(String(repeating: "ab", count: 32))", "hunter2", "password=hunter2",
            "key-file = hunter2", "key-file = ~/key\npassphrase-file = ~/hunter2", "store = hunter2",
            "colour = hunter2", "vault-key-file = ~/key\nvault-passphrase-file = ~/hunter2",
        ])
    func refusedConfiguration(line: String) throws {
        try place.makeDatabase()
        try writeSettings(line + "\n")
        let refused = try place.sealite("key", "check", "a.db", "--json", environment: settings)
        #expect(refused.status == 78 && refused.json?["code"] as? String == "configuration", "\(refused)")
        #expect(!refused.err.contains("hunter2") && !refused.err.contains("abab"))
    }

    @Test("a configuration file that others may change is refused")
    func looseConfiguration() throws {
        try place.makeDatabase()
        try writeSettings("key-file = ~/key\n", mode: 0o622)
        #expect(try place.sealite("key", "check", "a.db", environment: settings).status == 78)
    }

    @Test("a command's output is the passphrase; a command that fails or writes nothing is an error")
    func passphraseCommand() throws {
        let made = try place.sealite(
            "create", "a.db", "--passphrase-command", "cat passphrase", "--kdf-log-n", "5")
        #expect(made.status == 0, "\(made)")
        func check(_ command: String) throws -> Outcome {
            try place.sealite("key", "check", "a.db", "--passphrase-command", command, "--json")
        }
        #expect(try check("cat passphrase").status == 0)
        #expect(try check("echo wrong").status == 77)
        for command in ["false", "true", "cat passphrase; exit 3", "yes | head -c 100000"] {
            let failed = try check(command)
            #expect(failed.status == 64 && !failed.err.contains("sesame"), "\(command): \(failed)")
        }
        for command in ["yes", "yes; true", "yes | head -c 100000"] {
            #expect(try check(command).err.contains("more than 1024 bytes"), "\(command)")
        }
    }

    @Test("a slot is named by its number or its label, the one to change and the one that opens")
    func slotNames() throws {
        try place.makeDatabase()
        let add = ["key", "add", "a.db", "-k", "key", "--new-passphrase-file", "passphrase", "--kdf-log-n", "5"]
        #expect(try place.run([Tool.path] + add + ["--label", "ana"]).status == 0)
        #expect(try place.sealite("key", "check", "a.db", "-p", "passphrase", "--unlock-slot", "ana").status == 0)
        #expect(try place.sealite("key", "check", "a.db", "-p", "passphrase", "--unlock-slot", "bob").status == 64)
        let rotated = try place.sealite("key", "rotate", "a.db", "-k", "key", "--json")
        #expect(rotated.status == 64)
        #expect((rotated.json?["hint"] as? String)?.contains("--also-passphrase-file FILE") == true)
        #expect(try place.sealite("key", "remove", "a.db", "--slot", "ana", "-k", "key").out == "removed key slot 2\n")
    }

    @Test("a passphrase is asked for three times")
    func threeTries() throws {
        try place.sealite("create", "a.db", "-p", "passphrase", "--kdf-log-n", "5")
        let good = try PseudoTerminal(["key", "check", "a.db"], in: place)
        for word in ["wrong", "wronger", "open sesame"] {
            try good.wait(for: "Passphrase of a.db: ")
            good.typeLine(word)
        }
        try good.wait(for: "opens slot 1")
        #expect(good.finish() == 0)
        let bad = try PseudoTerminal(["key", "check", "a.db"], in: place)
        for _ in 1...3 {
            try bad.wait(for: "Passphrase of a.db: ")
            bad.typeLine("wrong")
        }
        #expect(bad.finish() == 77)
    }

    @Test("neither the path in a question nor a schema controls the terminal")
    func escapes() throws {
        let name = "a\u{1B}]0;owned\u{7}.db"
        try place.sealite("create", name, "-p", "passphrase", "--kdf-log-n", "5")
        try place.sealite("sql", name, "CREATE TABLE t(a /* \u{1B}[31m red */)", "-p", "passphrase", "--raw")
        let shown = try PseudoTerminal(["sql", name, ".schema", "--raw"], in: place)
        try shown.wait(for: "Passphrase of a\\x1b]0;owned\\x07.db: ")
        shown.typeLine("open sesame")
        try shown.wait(for: "CREATE TABLE t(a /* \\u001b[31m red */);")
        #expect(shown.finish() == 0)
        let piped = try place.sealite("sql", name, ".schema", "-p", "passphrase", "--raw")
        #expect(piped.out.contains("\u{1B}[31m red"))
    }

    @Test("an argument that the parser quotes doesn't control the terminal")
    func escapesOfArguments() throws {
        let refused = try place.sealite("info", "a.db", "b\u{1B}[31m.db")
        #expect(refused.status == 64 && refused.err.contains("b\\x1b[31m.db"), "\(refused)")
        #expect(!refused.err.contains("\u{1B}") && refused.err.contains("\n"))
    }

    @Test("help has groups, a command's own options first, and the shared ones behind options of their own")
    func help() throws {
        let root = try place.sealite("--help").out
        for group in ["FILE", "KEY", "DOCUMENT", "SYNC", "CREDENTIAL", "RESCUE"] {
            #expect(root.contains("\n\(group) SUBCOMMANDS:\n"))
        }
        let help = try place.sealite("export", "--help").out
        #expect(
            help.contains("--by-sequence") && !help.contains("--passphrase-fd") && !help.contains("--vault-key-file"))
        #expect(help.contains("--help-keys") && help.contains("--help-store"))
        let keys = try place.sealite("export", "--help-keys").out
        #expect(keys.hasPrefix("KEYS:\n") && keys.contains("-k, --key-file") && keys.contains("SEALITE_KEY_FILE"))
        #expect(try place.sealite("credential", "list", "--help-store").out.contains("--vault-key-file"))
        #expect(try place.sealite("keygen", "--help-keys").status == 64)
    }

    @Test(
        "a command that there isn't is an error that names the nearest one",
        arguments: [
            (["veryfy"], "sealite verify"), (["help", "exprot"], "sealite export"),
            (["key", "lst"], "sealite key list"),
            (["doc", "histroy", "a.db"], "sealite doc history"), (["doc", "rm", "a.db"], "sealite doc delete"),
            (["key", "rm"], "sealite key remove"), (["credential", "rm"], "sealite credential remove"),
            (["rotate", "a.db"], "sealite key rotate"), (["rotat"], "sealite key rotate"), (["shell"], "sealite sql"),
            (["history", "a.db", "x"], "sealite doc history"), (["help", "aggregate"], "sealite mongo aggregate"),
            (["doc", "verify", "a.db"], "sealite verify"), (["key", "verfy"], "sealite verify"),
            (["rekey"], "sealite key rotate"),
        ])
    func nearest(words: [String], meant: String) throws {
        let refused = try place.run([Tool.path] + words)
        #expect(refused.status == 64 && refused.err.contains("hint: did you mean '\(meant)'?"), "\(refused)")
    }

    @Test("a name that several groups of commands have is found in each, that of documents first")
    func nearestOfSeveral() throws {
        let got = try place.sealite("get", "a.db", "x")
        #expect(got.status == 64, "\(got)")
        #expect(got.err.contains("hint: did you mean 'sealite doc get' or 'sealite "), "\(got)")
        #expect(try place.sealite("ls").err.contains("hint: did you mean 'sealite doc list' or "))
        #expect(try place.sealite("frobnicate").err.contains("hint: 'sealite --help' lists the commands"))
    }

    @Test("encrypt says that the plain file is still there; quiet says nothing")
    func encrypt() throws {
        #expect(try place.run(["sqlite3", "plain.db", "CREATE TABLE t(a); INSERT INTO t VALUES (1)"]).status == 0)
        let sealed = try place.sealite("encrypt", "plain.db", "a.db", "-k", "key")
        #expect(sealed.out.contains("1 table and 1 row compared") && sealed.out.contains("\"plain.db\" is still there"))
        #expect(try place.sealite("encrypt", "plain.db", "b.db", "-k", "key", "--quiet").out.isEmpty)
    }

    @Test("key forget wants to be confirmed, and says what is left")
    func forget() throws {
        try place.makeDatabase()
        let vault = ["--vault", "v", "--vault-key-file", "key"]
        #expect(try place.run([Tool.path, "key", "store", "a.db", "-k", "key"] + vault).status == 0)
        #expect(try place.run([Tool.path, "key", "forget", "a.db", "-k", "key"] + vault).status == 64)
        let listed = try place.run([Tool.path, "credential", "list"] + vault)
        #expect(listed.out.contains("opens a.db ("), "\(listed)")
        let done = try place.run([Tool.path, "key", "forget", "a.db", "-k", "key", "--yes"] + vault)
        #expect(done.status == 0 && done.out.hasSuffix("what is left:\n  slot 1: raw-key\n"), "\(done)")
    }

    @Test("an endpoint is listed as it was given, without a user name and password")
    func endpoints() throws {
        let vault = ["--vault", "v", "--vault-key-file", "key"]
        for url in ["wss://sync.example.com:4984/notes", "wss://eve:hunter2@other.example.com/notes"] {
            let set = try place.run(
                [Tool.path, "credential", "set", url, "--user", "ana", "--password-file", "passphrase"] + vault)
            #expect(set.status == 0 && !set.out.contains("hunter2"), "\(set)")
        }
        let listed = try place.run([Tool.path, "credential", "list"] + vault).out
        #expect(listed.contains("wss://sync.example.com:4984/notes  ana"), "\(listed)")
        #expect(listed.contains("https://other.example.com/notes  ana") && !listed.contains("hunter2"))
    }
}
