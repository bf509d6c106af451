import Foundation
import Testing

/// Words of outputs and errors that a first user reads.
@Suite("wording")
struct WordingTests {
    private let place: Workplace
    private static let vault = ["--vault", "v", "--vault-key-file", "key"]

    init() throws { place = try Workplace() }

    @Test("one document, property, index or table is in the singular")
    func singular() throws {
        try place.sealite("create", "-q", "a.db", "-k", "key")
        try place.sealite("collection", "create", "a.db", "c", "-k", "key")
        try place.sealite("doc", "put", "a.db", "x", "{}", "--collection", "c", "-k", "key")
        let refused = try place.sealite("collection", "delete", "a.db", "c", "-k", "key")
        #expect(refused.status == 64 && refused.err.contains("with its 1 document wasn't confirmed"), "\(refused)")
        let info = try place.sealite("info", "a.db", "-k", "key").out
        #expect(info.contains(#/schema +\d+ indexes, \d+ tables/#), "\(info)")
        try place.sealite("create", "-q", "t.db", "-k", "key")
        try place.sealite("sql", "t.db", "CREATE TABLE t(a); CREATE INDEX i ON t(a)", "-k", "key")
        let one = try place.sealite("info", "t.db", "-k", "key").out
        #expect(one.contains(#/schema +1 index, 1 table\n/#), "\(one)")
    }

    @Test(".help lists the commands of sql without a terminal too, as the help says")
    func commands() throws {
        try place.sealite("create", "-q", "t.db", "-k", "key")
        let argument = try place.sealite("sql", "t.db", ".help", "-k", "key")
        #expect(
            argument.status == 0 && argument.out.contains(".tables") && argument.out.contains(".mode"), "\(argument)")
        let script = try place.sealite("sql", "t.db", "-k", "key", input: ".help\n")
        #expect(script.status == 0 && script.out == argument.out)
    }

    @Test("an endpoint keeps the form in which it was given in get and remove too, and its user is called so")
    func endpoints() throws {
        let url = "wss://sync.example.com:4984/notes"
        let set = ["credential", "set", url, "--user", "ana", "--password-file", "passphrase"]
        #expect(try place.run([Tool.path] + set + Self.vault).status == 0)
        let shown = try place.run([Tool.path, "credential", "get", url] + Self.vault).out
        #expect(shown.contains(#/service +wss:\/\/sync.example.com:4984\/notes\n/#), "\(shown)")
        #expect(shown.contains(#/user +ana\n/#), "\(shown)")
        let removed = try place.run([Tool.path, "credential", "remove", url] + Self.vault)
        #expect(removed.out == "removed \"\(url)\" for \"ana\" (password) in the vault \"v\"\n", "\(removed)")
    }

    @Test("status names the vault that is set, not the standard one")
    func status() throws {
        let home = [
            "HOME": place.path, "XDG_CONFIG_HOME": place.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        ]
        let use = try place.sealite(
            "credential", "use", "vault", "--vault", place.file("my.vault"), environment: home)
        #expect(use.status == 0 && use.out == "the store is set to vault\n", "\(use)")
        let status = try place.sealite("credential", "status", environment: home)
        #expect(status.out.contains(#/vault +\/.*my\.vault: not there/#), "\(status)")
        #expect(try place.sealite("credential", "use", "--none", environment: home).out == "no store is set\n")
    }

    @Test("sync ends with the code of what is wrong with the vault's key, as other commands do")
    func vaultKeyOfSync() throws {
        try place.sealite("create", "-q", "a.db", "-k", "key")
        let url = "wss://127.0.0.1:9/notes"
        let set = ["credential", "set", url, "--user", "ana", "--password-file", "passphrase"]
        #expect(try place.run([Tool.path] + set + Self.vault).status == 0)
        try place.sealite("keygen", "-q", "-o", "other")
        let sync = ["sync", "a.db", url, "-k", "key", "--vault", "v"]
        let wrong = try place.run([Tool.path] + sync + ["--vault-key-file", "other", "--json"])
        #expect(wrong.status == 77 && wrong.err.contains("wrong-passphrase"), "\(wrong)")
        let missing = try place.run([Tool.path] + sync + ["--vault-key-file", "nosuch", "--json"])
        #expect(missing.status == 66 && missing.err.contains("no-such-secret"), "\(missing)")
    }

    @Test("a forgotten collection before a filter is named, and _ is the default collection as in queries")
    func mongoCollection() throws {
        try place.sealite("create", "-q", "a.db", "-k", "key")
        let forgotten = try place.sealite("mongo", "find", "a.db", #"{"n":1}"#, "-k", "key")
        #expect(forgotten.status == 64 && forgotten.err.contains("the collection is missing"), "\(forgotten)")
        try place.sealite("doc", "put", "a.db", "x", #"{"n":1}"#, "-k", "key")
        let found = try place.sealite("mongo", "find", "a.db", "_", #"{"n":1}"#, "-k", "key")
        #expect(found.out == "{\"_id\":\"x\",\"n\":1}\n", "\(found)")
    }

    @Test("without a store the hint names a vault once, and its option")
    func noStore() throws {
        let home = ["HOME": place.path, "XDG_CONFIG_HOME": place.path, "DBUS_SESSION_BUS_ADDRESS": ""]
        let listed = try place.sealite("credential", "list", environment: home)
        #expect(listed.status == 69 && listed.err.hasSuffix("; --store vault chooses a vault\n"), "\(listed)")
        #expect(listed.err.components(separatedBy: "use a vault").count == 2, "\(listed)")
    }

    @Test("a key file of the vault that others may read isn't called damage by sync")
    func permission() throws {
        try place.sealite("create", "-q", "a.db", "-k", "key")
        try place.write(Workplace.key, to: "loose", mode: 0o644)
        let refused = try place.sealite(
            "sync", "a.db", "wss://127.0.0.1:1/a", "-k", "key", "--attempts", "1", "--vault", "v", "--vault-key-file",
            "loose")
        #expect(refused.status == 78 && refused.err.contains("chmod"), "\(refused)")
    }

    @Test("a schema on a terminal has its lines")
    func schemaOnTerminal() throws {
        try place.sealite("create", "-q", "a.db", "-k", "key")
        try place.sealite("doc", "put", "a.db", "x", #"{"n":1}"#, "-k", "key")
        let shown = try PseudoTerminal(["model", "infer", "a.db", "_default", "--title", "T", "-k", "key"], in: place)
        try shown.wait(for: "\"title\": \"T\",\r\n")
        #expect(shown.finish() == 0)
    }

    @Test("a revision that is wanted of a document that never was isn't called gone")
    func missingRevision() throws {
        try place.sealite("create", "-q", "a.db", "-k", "key")
        let refused = try place.sealite("doc", "put", "a.db", "x", "{}", "--if-revision", "1-a", "-k", "key")
        #expect(refused.status == 1 && refused.err.contains("there is no document \"x\""), "\(refused)")
        let unnamed = try place.sealite("doc", "put", "a.db", "{}", "--if-revision", "1-a", "-k", "key")
        #expect(unnamed.status == 64 && unnamed.err.contains("needs the id"), "\(unnamed)")
    }

    @Test("a host that there isn't has the exit code that the table names")
    func noHost() throws {
        try place.sealite("create", "-q", "a.db", "-k", "key")
        let refused = try place.sealite(
            "sync", "a.db", "wss://nobody.invalid/a", "-k", "key", "--anonymous", "--attempts", "1")
        let words = "no address was found for the host name nobody.invalid"
        #expect(refused.status == 68 && refused.err.contains(words), "\(refused)")
        try place.write("wrong", to: "password")
        let vault = ["--vault", "vault", "--vault-key-file", "key"]
        let url = "wss://nobody.invalid/a"
        try place.run([Tool.path, "credential", "set", url, "--user", "ana", "--password-file", "password"] + vault)
        let login = try place.run([Tool.path, "login", url] + vault)
        #expect(login.status == 68 && login.err.contains("nobody.invalid"), "\(login)")
    }
}
