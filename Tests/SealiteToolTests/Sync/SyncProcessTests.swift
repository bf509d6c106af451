import Foundation
import Glibc
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Testing

@Suite("syncs in several processes", .serialized)
struct SyncProcessTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    private func open(_ name: String) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(60)
        return try Database(file: try sync.place.open(name), configuration: configuration)
    }

    @Test("a continuous sync carries what other processes write, refuses a second one, and ends in order")
    func continuous() throws {
        let server = try sync.serve("--plain")
        let client = try sync.startSync(server.url, "--continuous", into: "synced")
        eventuallyBlocking { sync.reports("synced").contains { $0["activity"] as? String == "idle" } }
        let second = try sync.sync(server.url, "--json")
        #expect(second.status == 75 && second.json?["code"] as? String == "already-running", "\(second)")
        // Another target is another matter.
        #expect(try sync.sync(server.url + "x", "--attempts", "1").status == 69)
        try sync.put("client.db", "mine")
        try sync.put("server.db", "theirs")
        for name in ["client.db", "server.db"] {
            try eventuallyBlocking { try sync.ids(name) == ["mine", "theirs"] }
        }
        eventuallyBlocking { sync.reports("synced").last?["activity"] as? String == "idle" }
        client.send(SIGTERM)
        #expect(client.wait() == 0)
        #expect(sync.reports("synced").last?["pushed"] as? Int == 1)
        #expect(server.end() == 0)
        #expect(!sync.place.names.contains { $0.contains("-sync-") })
    }

    @Test(
        "a continuous sync that had caught up ends in order whatever it does at the signal, unless a change is unsent")
    func endedAtWork() throws {
        let server = try sync.serve("--plain")
        let client = try sync.startSync(server.url, "--continuous", into: "synced")
        eventuallyBlocking { sync.reports("synced").contains { $0["activity"] as? String == "idle" } }
        try sync.put("server.db", "theirs")
        try eventuallyBlocking(longestPause: .milliseconds(1)) { try sync.ids("client.db") == ["theirs"] }
        // Most often the client still waits for the answer to its checkpoint then.
        server.process.send(SIGSTOP)
        client.send(SIGTERM)
        #expect(client.wait() == 0)
        #expect(sync.reports("synced").last?["interrupted"] as? Bool == false)
        server.process.send(SIGCONT)

        let second = try sync.startSync(server.url, "--continuous", into: "second")
        eventuallyBlocking { sync.reports("second").contains { $0["activity"] as? String == "idle" } }
        server.process.send(SIGSTOP)
        try sync.put("client.db", "unsent")
        eventuallyBlocking { sync.reports("second").last?["activity"] as? String == "busy" }
        second.send(SIGTERM)
        #expect(second.wait() == 128 + SIGTERM)
        #expect(sync.reports("second").last?["interrupted"] as? Bool == true)
        server.process.send(SIGCONT)
        #expect(server.end() == 0)
    }

    @Test("a sync that a signal ends before its end says so, and its numbers aren't those of a success")
    func interrupted() throws {
        let server = try SilentServer()
        let whole = try sync.startSync(server.url, "--anonymous", into: "whole")
        try server.awaitConnection()
        whole.send(SIGTERM)
        #expect(whole.wait() == 128 + SIGTERM)
        let numbers = sync.reports("whole").last
        #expect(numbers?["pushed"] as? Int == 0 && numbers?["interrupted"] as? Bool == true)
        let second = try SilentServer()
        let kept = try sync.startSync(second.url, "--anonymous", "--keep-ids", "--doc-id", "a", into: "kept")
        try second.awaitConnection()
        kept.send(SIGTERM)
        #expect(kept.wait() == 128 + SIGTERM)
        #expect(sync.reports("kept").last?["interrupted"] as? Bool == true)
        let third = try SilentServer()
        let terminal = try PseudoTerminal(
            ["sync", "client.db", third.url, "--key-file", "key", "--anonymous"], in: sync.place,
            environment: ["HOME": sync.place.path])
        try third.awaitConnection()
        terminal.type("\u{3}")
        try terminal.wait(for: "interrupted, not everything is synced: pushed 0, pulled 0, failed 0")
        #expect(terminal.finish() == 128 + SIGINT)
        #expect(!terminal.screen.contains("collection _default"), "\(terminal.screen)")
    }

    /// A server that accepts connections and answers nothing.
    private final class SilentServer {
        private let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        private var port: in_port_t = 0
        var url: String { "ws://127.0.0.1:\(port)/silent" }

        init() throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let listens = unsafe withUnsafeMutablePointer(to: &address) { typed in
                unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
                        && getsockname(descriptor, pointer, &length) == 0
                }
            }
            guard listens else { throw POSIXError(.EADDRINUSE) }
            port = in_port_t(bigEndian: address.sin_port)
        }

        deinit { close(descriptor) }

        /// Waits for the next connection, which stays open.
        func awaitConnection() throws {
            guard accept(descriptor, nil, nil) >= 0 else { throw POSIXError(.EIO) }
        }
    }

    @Test("on a terminal a line tells how many documents and bytes go in a second")
    func progress() throws {
        try sync.put("client.db", "mine")
        let server = try sync.serve("--plain")
        let terminal = try PseudoTerminal(
            ["sync", "client.db", server.url, "--key-file", "key", "--anonymous"], in: sync.place,
            environment: ["HOME": sync.place.path])
        for text in ["connecting", " documents, ", "/s, ", " KiB/s", "pushed 1, pulled 0, failed 0"] {
            try terminal.wait(for: text)
        }
        #expect(terminal.finish() == 0)
        #expect(server.end() == 0)
    }

    @Test("a continuous sync waits for a server that goes and comes back")
    func serverComesBack() throws {
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let server = try sync.serve("--plain", port: held.port)
        let client = try sync.startSync(server.url, "--continuous", into: "synced")
        eventuallyBlocking { sync.reports("synced").contains { $0["activity"] as? String == "idle" } }
        #expect(server.end() == 0)
        eventuallyBlocking { sync.reports("synced").last?["activity"] as? String == "offline" }
        try sync.put("client.db", "meanwhile")
        let next = try sync.serve("--plain", port: held.port)
        try eventuallyBlocking { try sync.ids("server.db") == ["meanwhile"] }
        #expect(next.end() == 0)
        client.send(SIGKILL)
        #expect(client.wait() == 128 + SIGKILL)
        // The lock went with the process.
        #expect(try sync.sync(next.url, "--attempts", "1").status == 69)
    }

    @Test(
        "either side is killed at any moment: both come to the same documents, and none is lost",
        arguments: DocumentVersioning.allCases)
    func killed(_ versioning: DocumentVersioning) throws {
        let isLong = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil
        let roundCount = isLong ? 100 : versioning == .trees ? 4 : 2
        if versioning == .vectors {
            for name in ["client.db", "server.db"] { try open(name).upgradeToVersionVectors() }
        }
        let (client, server) = (try open("client.db"), try open("server.db"))
        let sides: [(name: String, collection: SealiteDatabase.Collection)] = [
            (name: "client", collection: try client.defaultCollection()),
            (name: "server", collection: try server.defaultCollection()),
        ]
        var last: [String: String] = [:]
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        var random = SeededRandom()
        for round in 0..<roundCount {
            let serving = try sync.serve("--plain", port: held.port)
            let syncing = try sync.startSync(serving.url, "--continuous", into: "synced")
            if round % 4 < 2 { eventuallyBlocking { !sync.reports("synced").isEmpty } }
            let isClientKilled = round % 2 == 0
            let moment = random.below(60)
            for number in 0..<60 {
                for (name, collection) in sides {
                    // Each side's own, and those that both change.
                    let own = "\(name)-\(number % 30)-\(round / 2)"
                    last[own] = "\(round) \(number)"
                    try save(own, "\(round) \(number)", in: collection)
                    try save("both-\(number % 10)", "\(name) \(round) \(number)", in: collection)
                }
                guard number == moment else { continue }
                letTimePass(
                    .microseconds(random.below(200_000)), because: "the process is killed at a random moment")
                (isClientKilled ? syncing : serving.process).send(SIGKILL)
            }
            #expect((isClientKilled ? syncing : serving.process).wait() == 128 + SIGKILL)
            if isClientKilled {
                #expect(serving.end() == 0)
            } else {
                // It had caught up, had a document that could not go, was offline, or was stopped at work; nothing else is in order.
                syncing.send(SIGTERM)
                let status = syncing.wait()
                let errors = String(decoding: try sync.place.read("synced.errors"), as: UTF8.self)
                #expect([0, 1, 69, 128 + SIGTERM].contains(status), "\(status): \(errors)")
            }
        }
        let serving = try sync.serve("--plain", port: held.port)
        let outcome = try sync.sync(serving.url)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(serving.end() == 0)
        var revisions: [[String: String]] = []
        for side in sides {
            let changes = try side.collection.changes(since: 0, limit: .max)
            revisions.append(Dictionary(uniqueKeysWithValues: changes.map { ($0.id, $0.revisionID) }))
        }
        #expect(revisions[0] == revisions[1] && revisions[0].count == last.count + 10)
        for (id, text) in last {
            for side in sides { #expect(try side.collection.document(id: id)?.string(forKey: "t") == text) }
        }
        for database in [client, server] {
            #expect(try database.integrityFindings().isEmpty)
            try database.close()
        }
    }

    private func save(_ id: String, _ text: String, in collection: SealiteDatabase.Collection) throws {
        // The replicator of another process may change a document in between.
        while true {
            let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
            document.setString(text, forKey: "t")
            if try collection.save(document: document, concurrencyControl: .failOnConflict).isSaved { return }
        }
    }
}
