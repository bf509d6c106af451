import Testing

@Suite("sealite sync of documents that are chosen", .serialized)
struct KeptSyncTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    @Test("ids are kept as a set that later runs sync and sync-status lists")
    func kept() throws {
        for id in ["a", "b", "c"] { try sync.put("server.db", id, #"{"n":1}"#) }
        try sync.place.write("b\n\nnobody\n", to: "ids")
        let server = try sync.serve("--plain")
        #expect(try sync.sync(server.url, "--keep-ids", "--push").status == 64)
        let first = try sync.sync(server.url, "--keep-ids", "--doc-id", "a", "--doc-ids-file", "ids")
        #expect(first.out == "synced 3, uncommitted 0, paused 0\n", "\(first)")
        #expect(try sync.ids("client.db") == ["a", "b"])
        try sync.put("client.db", "a", #"{"n":2}"#)
        let listed = try sync.status()
        #expect(listed.out.contains("sync\t_default\ta\tuncommitted\n"), "\(listed)")
        #expect(listed.out.contains("sync\t_default\tb\tsynced\n"), "\(listed)")
        try sync.put("server.db", "a", #"{"n":3}"#)
        let failing = try sync.sync(server.url, "--keep-ids", "--conflict-command", "exit 1")
        #expect(failing.status == 1 && failing.out == "synced 3, uncommitted 1, paused 1\n", "\(failing)")
        #expect(try sync.status().out.contains("a\tpaused\tresolutionError\t"))
        // A local write ends the pause.
        try sync.put("client.db", "a", #"{"n":4}"#)
        let command = #"read question; case "$question" in *'"n":4'*'"n":3'*) echo '{"n":7}';; esac"#
        let decided = try sync.sync(server.url, "--keep-ids", "--conflict-command", command)
        #expect(decided.out == "synced 3, uncommitted 0, paused 0\n", "\(decided)")
        #expect(try sync.document("server.db", "a")?.contains("7") == true)
        #expect(server.end() == 0)
    }

    @Test("one run decides conflicts for a side", arguments: ["local", "remote"])
    func sides(side: String) throws {
        let server = try sync.serve("--plain")
        try sync.put("client.db", "a", #"{"by":"client"}"#)
        try sync.put("server.db", "a", #"{"by":"server"}"#)
        try sync.place.write("a\n", to: "ids")
        let outcome = try sync.sync(server.url, "--on-conflict", side, "--doc-ids-file", "ids")
        #expect(outcome.status == 0, "\(outcome)")
        let winner = side == "local" ? "client" : "server"
        for name in ["client.db", "server.db"] {
            #expect(try sync.document(name, "a")?.contains(winner) == true)
        }
        #expect(server.end() == 0)
    }
}
