import Foundation
import Glibc
import SealiteCrypto
import SealiteTestSupport
import Testing

@testable import SealiteFile

#if DEBUG || SEALITE_TESTS
    /// Each core is taken by gcore(1) of the tool with dumps left on, and has to have a control, so that a search that finds
    /// nothing means something.
    @Suite("CoreDumpTests: what a core of the tool would hold", .serialized)
    struct CoreDumpTests {
        private let place: Workplace
        private let control = "control-\(UUID().uuidString)"
        private let needle = "needle-\(UUID().uuidString)"

        init() throws { place = try Workplace() }

        private var environment: [String: String] {
            [
                "HOME": place.path, "XDG_DATA_HOME": place.file("data"), "XDG_CONFIG_HOME": place.file("config"),
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(place.file("no-bus"))",
            ].merging(CoreFile.environment) { $1 }
        }

        private let vault = ["--vault-key-file", "key", "--store-timeout", "600"]

        private func run(_ arguments: [String], input: String = "") throws {
            let outcome = try place.run([Tool.path] + arguments, input: input, environment: environment)
            try #require(outcome.status == 0, "\(outcome.err)")
        }

        private func start(_ arguments: [String]) throws -> ChildProcess {
            try place.write("", to: "printed")
            let path = place.file("printed")
            return try ChildProcess(
                [Tool.path] + arguments, folder: place.path, environment: environment,
                files: [(0, "/dev/null", O_RDONLY), (1, path, O_WRONLY | O_APPEND), (2, path, O_WRONLY | O_APPEND)])
        }

        private var printed: String { String(decoding: (try? place.read("printed")) ?? [], as: UTF8.self) }

        /// Takes a core that has to have the control.
        private func core(of child: ChildProcess) throws -> CoreFile {
            let core = try CoreFile(of: child.id, in: place.path)
            #expect(core.count(of: control) > 0, "the search doesn't find what is there")
            return core
        }

        @Test(
            "a core of 'credential set' holds neither the password nor the vault's key, nor do its arguments and environment"
        )
        func credential() throws {
            let set = ["credential", "set", "h"] + vault
            try run(set + ["--user", "first"], input: "x")
            try place.write(needle, to: "password")
            // The tool has read everything and waits for the vault.
            let holder = try place.open("data/sealite/vault.db").connect()
            try holder.execute("BEGIN IMMEDIATE")
            let child = try start(set + ["--user", "ana", "--label", control, "--password-file", "password"])
            #expect(ProtectedMemory.wait(for: Array(needle.utf8), in: child.id), "the tool never had the password")
            let core = try core(of: child)
            #expect(core.count(of: needle) == 0)
            #expect(core.count(of: Workplace.key) == 0)
            #expect(try core.count(of: masterKey("data/sealite/vault.db", .rawKey(Workplace.secret))) == 0)
            for name in ["cmdline", "environ"] {
                let text = String(
                    decoding: try Data(contentsOf: URL(filePath: "/proc/\(child.id)/\(name)")), as: UTF8.self)
                #expect(!text.isEmpty && !text.contains(needle))
            }
            try holder.execute("COMMIT")
            #expect(child.wait() == 0)
        }

        private func masterKey(_ name: String, _ key: consuming UnlockKey) throws -> [UInt8] {
            let master = try SealedDatabase.open(place.file(name), key: key).ring.masterKey()
            return unsafe master.key.withUnsafeBytes { bytes in unsafe bytes.map { $0 } }
        }

        @Test(
            "a core of a command on an open database has no passphrase, raw key or master key",
            arguments: [true, false])
        func opening(byPassphrase: Bool) throws {
            let secret = byPassphrase ? Array(needle.utf8) : try SecureRandom.bytes(32)
            try place.write(secret, to: "secret")
            let option = [byPassphrase ? "--passphrase-file" : "--key-file", "secret"]
            try run(["create", "a.db"] + option)
            try run(["doc", "put", "a.db", control, "{}"] + option)
            let child = try start(["changes", "a.db", "--follow"] + option)
            eventuallyBlocking("what it is to show; it showed \(printed)") { printed.contains(control) }
            let bytes = unsafe SecretBytes(byteCount: secret.count) { unsafe $0.copyBytes(from: secret) }
            let master = try masterKey("a.db", byPassphrase ? .passphrase(bytes) : .rawKey(bytes))
            #expect(ProtectedMemory.count(of: master, in: child.id) > 0, "the tool hasn't the key")
            let core = try core(of: child)
            #expect(core.count(of: secret) == 0)
            #expect(core.count(of: master) == 0)
        }

        @Test("a core of 'login' has neither the password that went to the server nor the session that came back")
        func login() throws {
            let session = "session-\(UUID().uuidString)"
            let server = try SessionServer(
                in: place, "--password", needle, "--session", session, "--go", place.file("go"))
            let url = "\(server.url)-\(control)"
            try run(["credential", "set", url, "--user", "alice"] + vault, input: needle)
            let child = try start(["login", url, "--server-timeout", "600"] + vault)
            eventuallyBlocking("what it is to show; it showed \(printed)") { server.requests.contains("POST") }
            #expect(try core(of: child).count(of: needle) == 0, "while the server has it")
            // The session comes in, and has to wait for the vault.
            let holder = try place.open("data/sealite/vault.db").connect()
            try holder.execute("BEGIN IMMEDIATE")
            try place.write("", to: "go")
            #expect(ProtectedMemory.wait(for: Array(session.utf8), in: child.id), "the session never came")
            let core = try core(of: child)
            #expect(core.count(of: needle) == 0)
            #expect(core.count(of: session) == 0)
            try holder.execute("COMMIT")
            #expect(child.wait() == 0, "\(printed)")
        }

        @Test("a core of 'sync' has neither the password nor the header that it makes of it")
        func sync() throws {
            let server = try SessionServer(in: place, "--go", place.file("go"))
            let url = "\(server.url)-\(control)"
            try run(["credential", "set", url, "--user", "alice"] + vault, input: needle)
            try place.makeDatabase()
            let child = try start(["sync", "a.db", url, "--key-file", "key", "--attempts", "9"] + vault)
            let header = Data("alice:\(needle)".utf8).base64EncodedString()
            eventuallyBlocking("what it is to show; it showed \(printed)") { server.requests.contains(header) }
            for moment in ["while the server has them", "while it waits for the next attempt"] {
                let core = try core(of: child)
                #expect(core.count(of: needle) == 0, "\(moment)")
                #expect(core.count(of: header) == 0, "\(moment)")
                try place.write("", to: "go")
                letTimePass(.milliseconds(500), because: "the process goes on to its next moment, and tells nobody")
            }
        }
    }

    extension CoreDumpTests {
        @Test("a core of a 'sync' that spoke TLS has no secret either and goes on")
        func encrypted() throws {
            let sync = try SyncPlace()
            // The tables of documents, and the id with them.
            _ = try sync.place.sealite("collection", "list", "server.db", "--key-file", "key")
            let info = try sync.place.sealite("info", "server.db", "--key-file", "key", "--json")
            let id = try #require(Outcome.object(info.out)?["serveID"] as? String)
            #expect(
                try sync.server("credential", "set", "sealite-serve:\(id)", "--user", "ana", input: needle).status == 0)
            let server = try sync.serve("--user", "ana")
            let set = try sync.client(
                "credential", "set", server.url, "--user", "ana", "--label", control, input: needle)
            #expect(set.status == 0, "\(set.err)")
            try sync.put("client.db", control)
            let child = try sync.startSync(
                server.url, "--pin", server.pin, "--continuous", into: "synced", environment: CoreFile.environment)
            eventuallyBlocking { sync.reports("synced").contains { $0["activity"] as? String == "idle" } }
            let core = try core(of: child)
            #expect(core.count(of: needle) == 0)
            #expect(core.count(of: Data("ana:\(needle)".utf8).base64EncodedString()) == 0)
            child.send(SIGTERM)
            #expect(child.wait() == 0)
            #expect(server.end() == 0)
        }
    }
#endif
