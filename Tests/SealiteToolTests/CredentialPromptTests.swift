import Foundation
import Testing

@Suite("sealite credential, at a terminal", .serialized)
struct CredentialPromptTests {
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

    private func terminal(_ arguments: String..., input: String? = nil) throws -> PseudoTerminal {
        try PseudoTerminal(arguments, in: place, inputFile: input, environment: environment)
    }

    private func revealed() throws -> Outcome {
        try place.run(
            [Tool.path, "credential", "get", notes, "--reveal", "--vault-key-file", "key"], environment: environment)
    }

    @Test("a password is asked for twice, without echo, and stored as it was typed")
    func password() throws {
        let asked = try terminal("credential", "set", notes, "--user", "ana", "--vault-key-file", "key")
        for prompt in ["(password): ", "(password), again: "] {
            try asked.wait(for: "Password for \"\(notes)\" for \"ana\" \(prompt)")
            #expect(!asked.echoes)
            asked.typeLine("geheim wörter")
        }
        #expect(asked.finish() == 0)
        #expect(!asked.screen.contains("geheim") && asked.screen.contains("stored"))
        #expect(try revealed().out == "geheim wörter")
    }

    @Test("on a terminal a secret is shown after a question only")
    func reveal() throws {
        let set = try place.run(
            [Tool.path, "credential", "set", notes, "--user", "ana", "--vault-key-file", "key"], input: "geheim wörter",
            environment: environment)
        #expect(set.status == 0)
        for (answer, isShown) in [("", false), ("n", false), ("y", true)] {
            let asked = try terminal("credential", "get", notes, "--reveal", "--vault-key-file", "key")
            try asked.wait(for: "[y/N] ")
            asked.typeLine(answer)
            #expect(asked.finish() == (isShown ? 0 : 64))
            #expect(asked.screen.contains("geheim wörter") == isShown, "\(asked.screen)")
        }
        let silent = try terminal("credential", "get", notes, "--reveal", "--no-input", "--vault-key-file", "key")
        #expect(silent.finish() == 64)
        #expect(!silent.screen.contains("geheim"))
    }

    @Test("passwords that differ, and an empty one, store nothing and make no vault", arguments: [["a", "b"], [""]])
    func refused(lines: [String]) throws {
        let asked = try terminal("credential", "set", notes, "--user", "ana", "--vault-key-file", "key")
        for line in lines {
            try asked.wait(for: ": ")
            asked.typeLine(line)
        }
        #expect(asked.finish() == 64)
        #expect(!place.exists("data/sealite/vault.db"))
    }

    @Test("key forget doesn't remove a slot that got its number while the question was open")
    func slotReplacedMeanwhile() throws {
        try place.makeDatabase()
        try place.write(Workplace.key.reversed(), to: "other")
        let vault = ["--vault-key-file", "key"]
        func key(_ arguments: String...) throws -> Outcome {
            try place.run([Tool.path, "key"] + arguments, environment: environment)
        }
        let stored = try place.run(
            [Tool.path, "key", "store", "a.db", "--key-file", "key", "--label", "stored"] + vault,
            environment: environment)
        #expect(stored.status == 0, "\(stored)")
        let asked = try PseudoTerminal(
            ["key", "forget", "a.db", "--key-file", "key"] + vault, in: place, environment: environment)
        try asked.wait(for: "[y/N] ")
        #expect(try key("remove", "a.db", "--slot", "stored", "--key-file", "key").status == 0)
        #expect(try key("add", "a.db", "--key-file", "key", "--new-key-file", "other", "--label", "bob").status == 0)
        asked.typeLine("y")
        #expect(asked.finish() == 75)
        #expect(asked.screen.contains("key slot 2 was removed or replaced meanwhile"), "\(asked.screen)")
        #expect(try key("check", "a.db", "--key-file", "other").status == 0)
    }

    @Test("key forget that can't remove a second slot still deletes the key of the first, and records the change")
    func forgottenInPart() throws {
        try place.makeDatabase()
        try place.write(Workplace.key.reversed(), to: "other")
        let vault = ["--vault-key-file", "key"]
        func sealite(_ arguments: String...) throws -> Outcome {
            try place.run([Tool.path] + arguments, environment: environment)
        }
        for label in ["first", "second"] {
            let stored = try place.run(
                [Tool.path, "key", "store", "a.db", "--key-file", "key", "--label", label] + vault,
                environment: environment)
            #expect(stored.status == 0, "\(stored)")
        }
        #expect(try sealite("freshness", "record", "a.db", "record", "--key-file", "key").status == 0)
        let asked = try PseudoTerminal(
            ["key", "forget", "a.db", "--key-file", "key", "--freshness", "record"] + vault, in: place,
            environment: environment)
        try asked.wait(for: "[y/N] ")
        #expect(try sealite("key", "remove", "a.db", "--slot", "second", "--key-file", "key").status == 0)
        let added = try sealite("key", "add", "a.db", "--key-file", "key", "--new-key-file", "other", "--label", "bob")
        #expect(added.status == 0)
        let recorded = try place.read("record")
        asked.typeLine("y")
        #expect(asked.finish() == 75, "\(asked.screen)")
        let slots = try sealite("info", "a.db").out
        #expect(!slots.contains("first") && slots.contains("bob"), "\(slots)")
        #expect(try place.read("record") != recorded)
        let listed = try place.run([Tool.path, "credential", "list", "--json"] + vault, environment: environment)
        #expect((Outcome.object(listed.out)?["items"] as? [Any])?.count == 1, "\(listed)")
        #expect(try sealite("key", "check", "a.db", "--key-file", "other").status == 0)
    }

    @Test("a new vault's passphrase is asked for twice, an old one's once; three wrong ones end with 77")
    func vaultPassphrase() throws {
        let vault = ["--store", "vault", "--vault-kdf-log-n", "5"]
        let made = try PseudoTerminal(
            ["credential", "set", notes, "--user", "ana"] + vault, in: place, environment: environment)
        for line in ["one", "one"] {
            try made.wait(for: "(password)")
            made.typeLine(line)
        }
        for prompt in ["New passphrase of the vault", ", again: "] {
            try made.wait(for: prompt)
            made.typeLine("vault words")
        }
        #expect(made.finish() == 0, "\(made.screen)")
        #expect(made.screen.contains("made the vault") && !made.screen.contains("vault words"))
        for (typed, status) in [("vault words", 0), ("other words", 77)] as [(String, CInt)] {
            let asked = try PseudoTerminal(["credential", "list"] + vault, in: place, environment: environment)
            for _ in 0..<(status == 0 ? 1 : 3) {
                try asked.wait(for: "Passphrase of the vault")
                asked.typeLine(typed)
            }
            #expect(asked.finish() == status, "\(asked.screen)")
            #expect(asked.screen.contains("sync.example.com") == (status == 0))
        }
    }

    @Test("a wrong passphrase of systemd's isn't tried again, for nobody types another")
    func wrongOfSystemd() throws {
        let set = try place.run(
            [Tool.path, "credential", "set", notes, "--user", "ana", "--vault-key-file", "key"], input: "geheim",
            environment: environment)
        #expect(set.status == 0)
        try FileManager.default.createDirectory(atPath: place.file("creds"), withIntermediateDirectories: false)
        try place.write("wrong", to: "creds/sealite.vault")
        let listed = try PseudoTerminal(
            ["credential", "list", "--store", "vault"], in: place,
            environment: environment.merging(["CREDENTIALS_DIRECTORY": place.file("creds")]) { $1 })
        #expect(listed.finish() == 77 && !listed.screen.contains("try again"), "\(listed.screen)")
    }

    @Test("standard input that is no terminal is the password; --prompt asks all the same, and --no-input never")
    func inputs() throws {
        try place.write("from a file\n", to: "typed")
        let read = try terminal("credential", "set", notes, "--user", "ana", "--vault-key-file", "key", input: "typed")
        #expect(read.finish() == 0)
        #expect(try revealed().out == "from a file")
        let asked = try terminal(
            "credential", "set", notes, "--user", "ana", "--prompt", "--vault-key-file", "key", input: "typed")
        for prompt in ["(password): ", ", again: "] {
            try asked.wait(for: prompt)
            asked.typeLine("typed")
        }
        #expect(asked.finish() == 0)
        #expect(try revealed().out == "typed")
        let never = try terminal("credential", "set", notes, "--user", "ana", "--no-input", "--vault-key-file", "key")
        #expect(never.finish() == 64)
        #expect(never.screen.contains("--password-file") && !never.screen.contains("again"))
        #expect(try revealed().out == "typed")
    }

    @Test("the recovery key of a database whose key is in the store is shown once, and opens it")
    func recoveryKey() throws {
        let made = try terminal("create", "a.db", "--key-in-store", "--vault-key-file", "key")
        #expect(made.finish() == 0, "\(made.screen)")
        let shown = made.screen.matches(of: /([A-Z2-7]{4}-){13}[A-Z2-7]{4}/)
        #expect(shown.count == 1)
        try place.write(String(try #require(shown.first).output.0), to: "paper")
        let opened = try place.run(
            [Tool.path, "key", "check", "a.db", "--recovery-key-file", "paper"], environment: environment)
        #expect(opened.status == 0, "\(opened.err)")
        let declined = try terminal("create", "b.db", "--key-in-store", "--no-recovery-key", "--vault-key-file", "key")
        #expect(declined.finish() == 0)
        #expect(declined.screen.matches(of: /[A-Z2-7]{4}-[A-Z2-7]{4}/).isEmpty)
    }

    @Test("a signal at the prompt gives the terminal its echo back and stores nothing")
    func interrupted() throws {
        let asked = try terminal("credential", "set", notes, "--user", "ana", "--vault-key-file", "key")
        try asked.wait(for: "(password): ")
        #expect(!asked.echoes)
        asked.child.send(SIGINT)
        #expect(asked.child.wait() == 128 + SIGINT)
        #expect(asked.echoes && !place.exists("data"))
    }
}
