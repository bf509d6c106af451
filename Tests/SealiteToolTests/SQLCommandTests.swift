import Glibc
import SealiteFile
import SealiteTestSupport
import Testing

@Suite("sealite sql")
struct SQLCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase(
            "a.db",
            """
            CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (-2.5, NULL), ('say "hi", ü' || char(10) || char(27), x'00ff'),
            (9223372036854775807, '')
            """)
    }

    private func sql(_ statement: String?, _ options: String..., input: String = "") throws -> Outcome {
        let command = [Tool.path, "sql", "a.db"] + (statement.map { [$0] } ?? []) + ["--key-file", "key"] + options
        return try place.run(command, input: input)
    }

    @Test("rows are aligned, and control characters don't reach a terminal")
    func columns() throws {
        #expect(
            try sql("SELECT rowid AS n, b FROM t").out == """
                n  b
                -  -------
                1  x
                2  NULL
                3  x'00ff'
                4  \("")

                """)
        let odd = try sql("SELECT a FROM t WHERE rowid = 3")
        #expect(odd.out.hasSuffix("say \"hi\", ü\\n\\x1b\n"))
    }

    @Test("JSON keeps types, NULL and whole numbers")
    func json() throws {
        #expect(
            try sql("SELECT * FROM t", "--json").out == #"""
                [{"a":1,"b":"x"},
                {"a":-2.5,"b":null},
                {"a":"say \"hi\", ü\n\u001b","b":{"base64":"AP8="}},
                {"a":9223372036854775807,"b":""}]

                """#)
        #expect(try sql("SELECT 1 AS a WHERE 0; SELECT 2 AS b", "--json").out == "[]\n[{\"b\":2}]\n")
    }

    @Test("CSV quotes what it must, and tells NULL from an empty text")
    func csv() throws {
        #expect(
            try sql("SELECT * FROM t", "--csv").out
                == "a,b\n1,x\n-2.5,\n\"say \"\"hi\"\", ü\n\u{1B}\",x'00ff'\n9223372036854775807,\"\"\n")
    }

    @Test("tables with indexes on functions over bodies are written and verified")
    func bodyIndexes() throws {
        let made = try sql(
            """
            CREATE TABLE bodies(body BLOB); CREATE INDEX keys ON bodies (body_key('mongo', body, 'a'));
            CREATE INDEX plain ON bodies (body_value(body, 'a'));
            INSERT INTO bodies VALUES (x'4C17611331'), (x'0C'); REINDEX; PRAGMA integrity_check
            """)
        #expect(made.out == "integrity_check\n---------------\nok\n" && made.status == 0)
        #expect(
            try sql("SELECT body_type(body, 'a') AS t FROM bodies ORDER BY 1", "--csv").out == "t\nmissing\nnumber\n")
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
        #expect(try place.sealite("decrypt", "a.db", "plain.db", "--key-file", "key", "--yes").status == 0)
        #expect(try place.sealite("encrypt", "plain.db", "again.db", "--key-file", "key").status == 0)
        #expect(try place.sealite("salvage", "again.db", "saved.db", "--key-file", "key").status == 0)
        #expect(try place.sealite("verify", "saved.db", "--key-file", "key").status == 0)
    }

    @Test("a script on standard input runs, statements over several lines and comments included")
    func script() throws {
        let script =
            "-- a comment; with a semicolon\nCREATE TABLE u(a,\n b);\nINSERT INTO u VALUES (1, ';'); SELECT * FROM u;\n"
        let ran = try sql(nil, "--csv", input: script + "SELECT 'no line end'")
        #expect(ran.status == 0)
        #expect(ran.out == "a,b\n1,;\n'no line end'\nno line end\n")
    }

    @Test("a script stops at its first failing statement, with its line; one that isn't valid ends with exit code 64")
    func failingScript() throws {
        let ran = try sql(nil, "--json", input: "INSERT INTO t VALUES (7, 7);\n\nSELEC 1;\nDELETE FROM t;\n")
        #expect(ran.status == 64)
        #expect(ran.json?["code"] as? String == "invalid-statement")
        #expect((ran.json?["message"] as? String)?.hasPrefix("line 3: ") == true)
        #expect(try sql("SELECT count(*) AS n FROM t", "--csv").out == "n\n5\n")
    }

    @Test(
        "pragmas of other products are refused with a pointer",
        arguments: ["key", "rekey", "hexkey", "cipher_page_size"])
    func foreignPragmas(name: String) throws {
        let ran = try sql("PRAGMA \(name) = 'x'", "--json")
        #expect(ran.status == 1)
        #expect(ran.json?["code"] as? String == "refused")
        #expect((ran.json?["hint"] as? String)?.contains("sealite key") == true)
    }

    @Test("--read-only refuses to write")
    func readOnly() throws {
        #expect(try sql("SELECT 1", "--read-only").status == 0)
        #expect(try sql("DELETE FROM t", "--read-only").status != 0)
        #expect(try sql("SELECT count(*) AS n FROM t", "--csv").out == "n\n4\n")
    }

    @Test("a lock that isn't given up ends the wait with 75, one that is given up in time doesn't")
    func busy() throws {
        let sealed = try place.open()
        let holder = try sealed.connect()
        try holder.execute("BEGIN IMMEDIATE")
        let ran = try sql("DELETE FROM t", "--timeout", "0.2", "--json")
        #expect(ran.status == 75 && ran.json?["code"] as? String == "busy")
        let patient = try ChildProcess(
            [Tool.path, "sql", "a.db", "DELETE FROM t", "--key-file", "key", "--timeout", "600"], folder: place.path,
            files: [(2, place.file("stderr"), O_WRONLY | O_CREAT)])
        try holder.execute("COMMIT")
        #expect(patient.wait() == 0)
    }

    @Test("undamaged tables stay readable, and a damaged page is named")
    func damagedPage() throws {
        try place.open().connect().execute("CREATE TABLE u AS SELECT 'fine' AS a; CREATE TABLE v AS SELECT 'bad' AS a")
        var bytes = try place.read("a.db")
        // The last page, which holds the newest table.
        bytes[bytes.count - 1000] ^= 1
        try place.write(bytes, to: "a.db")
        #expect(try sql("SELECT a FROM u", "--csv").out == "a\nfine\n")
        let ran = try sql("SELECT a FROM v", "--json")
        #expect(ran.status == 65)
        #expect(ran.json?["code"] as? String == "damaged-page")
        #expect(ran.json?["page"] as? Int == (bytes.count - 8192) / 4096)
    }

    @Test("a signal rolls the running transaction back and leaves no journal", arguments: [SIGINT, SIGTERM])
    func signalled(signal: CInt) throws {
        try place.write(
            """
            PRAGMA cache_size = 1; BEGIN;
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO t SELECT i, zeroblob(500) FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n;
            """, to: "stdin-script")
        let child = try ChildProcess(
            [Tool.path, "sql", "a.db", "--key-file", "key"], folder: place.path,
            files: [(0, place.file("stdin-script"), O_RDONLY), (2, place.file("stderr"), O_WRONLY | O_CREAT)])
        eventuallyBlocking("the journal") { place.exists("a.db-journal") }
        child.waitUntilBusy()
        child.send(signal)
        #expect(child.wait() == 128 + signal)
        #expect(place.names == ["a.db"])
        #expect(try sql("SELECT count(*) AS n FROM t", "--csv").out == "n\n4\n")
    }

    /// The moments at which VACUUM is stopped: while it makes its copy, and while it writes that back.
    enum Moment: CaseIterable {
        case copying, writingBack
    }

    @Test(
        "a signal stops VACUUM in each of its parts, and the file stays as it is", .endsIfItHangs,
        arguments: Moment.allCases, ["delete", "wal"])
    func stoppedVacuum(moment: Moment, mode: String) throws {
        try place.makeDatabase(
            "v.db",
            """
            PRAGMA journal_mode = \(mode); CREATE TABLE v(i INTEGER PRIMARY KEY, a);
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) INSERT INTO v SELECT i, randomblob(1000) FROM n;
            DELETE FROM v WHERE i % 4 = 0
            """)
        func facts() throws -> String {
            try place.sealite(
                "sql", "v.db", "SELECT * FROM pragma_freelist_count, pragma_page_count; SELECT count(*) FROM v",
                "--key-file", "key"
            ).out
        }
        let before = try facts()
        let whole = try place.read("v.db")
        for signal in [SIGINT, SIGTERM] {
            var status: CInt = 0
            // A machine that is busy elsewhere may let it end before the signal: then there is another, of the same file.
            for attempt in 0..<10 where status == 0 {
                if attempt > 0 { try place.write(whole, to: "v.db") }
                status = try stopVacuum(moment, log: mode == "wal" ? "v.db-wal" : "v.db-journal", signal)
            }
            #expect(status == 128 + signal)
            let errors = String(decoding: try place.read("stderr"), as: UTF8.self)
            #expect(errors.hasSuffix(": the running statement changed nothing\n"), "\(errors)")
            #expect(!place.names.contains { $0.hasPrefix("v.db-") })
            #expect(try facts() == before)
        }
        #expect(try place.sealite("verify", "v.db", "--key-file", "key").status == 0)
        #expect(try place.sealite("sql", "v.db", "VACUUM", "--key-file", "key").status == 0)
        #expect(try facts() != before)
    }

    /// Sends a signal to VACUUM of v.db, and returns its exit code.
    private func stopVacuum(_ moment: Moment, log: String, _ signal: CInt) throws -> CInt {
        let child = try ChildProcess(
            [Tool.path, "sql", "v.db", "VACUUM", "--key-file", "key"], folder: place.path,
            files: [(2, place.file("stderr"), O_WRONLY | O_CREAT | O_TRUNC)])
        switch moment {
        case .copying: child.waitUntilBusy(with: place.file("v.db"))
        case .writingBack:
            eventuallyBlocking("the second part", longestPause: .milliseconds(1)) {
                place.size(log) > 200_000 || child.hasEnded
            }
        }
        child.send(signal)
        return child.wait()
    }

    @Test("a signal stops a statement that changes rows, and nothing of it stays", arguments: [SIGINT, SIGTERM])
    func stoppedUpdate(signal: CInt) throws {
        try place.makeDatabase(
            "v.db",
            """
            CREATE TABLE v(i INTEGER PRIMARY KEY, a);
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) INSERT INTO v SELECT i, i FROM n
            """)
        let child = try ChildProcess(
            [Tool.path, "sql", "v.db", "UPDATE v SET a = a + length(hex(randomblob(5000)))", "--key-file", "key"],
            folder: place.path, files: [(2, place.file("stderr"), O_WRONLY | O_CREAT | O_TRUNC)])
        child.waitUntilBusy(with: place.file("v.db"))
        child.send(signal)
        #expect(child.wait() == 128 + signal)
        let changed = try place.sealite(
            "sql", "v.db", "SELECT count(*) AS n FROM v WHERE i <> a", "--csv", "--key-file", "key")
        #expect(changed.out == "n\n0\n")
        #expect(!place.names.contains { $0.hasPrefix("v.db-") })
    }

    @Test("new files that a statement makes are sealed and their owner's alone")
    func vacuumInto() throws {
        #expect(try sql("VACUUM INTO 'copy.db'").status == 0)
        #expect(SealedDatabase.isSealed(place.file("copy.db")))
        #expect(try place.mode("copy.db") == 0o600)
    }

    @Test("the passphrase and the script can't both be standard input")
    func oneStandardInput() throws {
        #expect(try place.sealite("sql", "a.db", "--passphrase-fd", "0").status == 64)
        for name in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
            #expect(try place.sealite("sql", "a.db", "--key-file", name, input: "SELECT 1;").status == 64)
        }
    }

    @Test("a pipe in the place of a database or of its journal is refused, and nobody waits for its other end")
    func pipe() throws {
        for name in ["pipe", "a.db-journal"] { #expect(unsafe mkfifo(place.file(name), 0o600) == 0) }
        for command in ["sql", "info", "verify", "audit"] {
            let ran = try place.sealite(command, "pipe", "--key-file", "key", "--json")
            #expect(ran.status == 66 && ran.json?["code"] as? String == "not-a-file", "\(command): \(ran.err)")
        }
        #expect(try place.sealite("encrypt", "pipe", "b.db", "--key-file", "key").status == 66)
        for ran in [try sql("SELECT count(*) FROM t"), try place.sealite("verify", "a.db", "--key-file", "key")] {
            #expect(ran.status == 66 && ran.err.contains("a.db-journal\" isn't a regular file"), "\(ran.err)")
        }
    }

    @Test("a file that ends behind its header is damaged, also by a relative path")
    func headerAlone() throws {
        try place.write(try place.read("a.db").prefix(8192), to: "cut.db")
        let ran = try place.sealite("sql", "cut.db", "SELECT 1", "--key-file", "key", "--json")
        #expect(ran.status == 65)
        #expect(ran.json?["code"] as? String == "damaged-page" && ran.json?["page"] as? Int == 1)
    }

    @Test("rows that can't be written are an error, whoever redirected them to a full disk")
    func fullOutput() throws {
        for command in ["sql a.db 'SELECT * FROM t' --key-file key", "info a.db", "--version"] {
            let ran = try place.run(["sh", "-c", "\(Tool.path) \(command) > /dev/full"])
            #expect(ran.status == 74)
            #expect(ran.err.contains("No space left on device"))
        }
    }

    @Test("an ATTACH that fails says why, and what to do")
    func attach() throws {
        try place.makeDatabase("b.db")
        try place.write("no database", to: "text")
        try place.run(["sqlite3", "plain.db", "CREATE TABLE p(a); INSERT INTO p VALUES (5)"])
        let expected: [(name: String, status: CInt, code: String)] = [
            ("absent.db", 66, "no-such-file"), ("b.db", 77, "not-unlocked"), ("text", 80, "not-sealed"),
            ("plain.db", 80, "plain-database"), (".", 66, "not-a-file"),
        ]
        for (name, status, code) in expected {
            let ran = try sql("ATTACH '\(name)' AS x", "--json")
            #expect(ran.status == status && ran.json?["code"] as? String == code, "\(name): \(ran.err)")
            #expect(name == "." || (ran.json?["message"] as? String)?.contains(name) == true)
        }
        #expect(try sql("ATTACH 'absent.db' AS x").err.contains("ATTACH doesn't create sealed databases"))
        #expect(!place.exists("absent.db"))
        #expect(try sql("ATTACH 'file:plain.db?vfs=unix' AS x; SELECT a FROM x.p", "--csv").out == "a\n5\n")
    }

    @Test("--attach unlocks a second database, with the same key or with its own, and a transaction covers both")
    func attachOption() throws {
        try place.makeDatabase("same.db", "CREATE TABLE s(x)")
        try place.write([UInt8](repeating: 5, count: 32), to: "other key")
        #expect(try place.sealite("create", "own.db", "--key-file", "other key").status == 0)
        let options = ["--attach", "same=same.db", "--attach", "own=own.db", "--attach-key-file", "own=other key"]
        let command = [Tool.path, "sql", "a.db", "--key-file", "key"] + options
        let both = "BEGIN; CREATE TABLE own.o(x); INSERT INTO own.o VALUES (1); INSERT INTO same.s VALUES (2);"
        #expect(try place.run(command, input: both + "ROLLBACK; " + both + "COMMIT;").status == 0)
        let read = "SELECT (SELECT sum(x) FROM own.o) AS o, (SELECT sum(x) FROM same.s) AS s"
        #expect(try place.run(command + ["--csv", read]).out == "o,s\n1,2\n")
        #expect(try place.run(command + ["--read-only", "DELETE FROM same.s"]).status != 0)
        #expect(
            try place.sealite("sql", "own.db", "SELECT count(*) AS n FROM o", "--key-file", "other key", "--csv").out
                == "n\n1\n")
        let wrong = try sql("SELECT 1", "--attach", "own=own.db", "--json")
        #expect(wrong.status == 77 && wrong.json?["code"] as? String == "wrong-key", "\(wrong.err)")
        let hint = try sql("ATTACH 'same.db' AS s").err
        #expect(hint.contains("--attach NAME=FILE"))
    }

    @Test("VACUUM INTO beside an attached database makes nothing unless it is said whose keys the copy gets")
    func vacuumIntoBesideAttached() throws {
        try place.makeDatabase("b.db", "CREATE TABLE other(x); INSERT INTO other VALUES (5)")
        try place.write([UInt8](repeating: 5, count: 32), to: "other key")
        #expect(
            try place.sealite(
                "key", "change", "b.db", "--slot", "1", "--key-file", "key", "--new-key-file", "other key"
            ).status == 0)
        try place.run(["sqlite3", "plain.db", "CREATE TABLE p(a); INSERT INTO p VALUES (5)"])
        func vacuum(_ statement: String) throws -> Outcome {
            try sql(statement, "--attach", "b=b.db", "--attach-key-file", "b=other key", "--json")
        }
        for statement in [
            "VACUUM INTO 'copy.db'", "VACUUM b INTO 'copy.db'", "VACUUM INTO 'file:copy.db?sealite_like=00'",
        ] {
            let ran = try vacuum(statement)
            #expect(ran.status == 1 && ran.json?["code"] as? String == "refused", "\(ran.err)")
            #expect((ran.json?["hint"] as? String)?.contains("sealite_like=") == true)
            #expect(!place.exists("copy.db"), "\(statement)")
        }
        for (name, source, secret) in [("main", "a.db", "key"), ("b", "b.db", "other key")] {
            let info = Outcome.object(try place.sealite("info", source, "--json").out)?["header"] as? [String: Any]
            let id = try #require(info?["databaseID"] as? String)
            #expect(try vacuum("VACUUM \(name) INTO 'file:\(name).copy?sealite_like=\(id)'").status == 0)
            #expect(SealedDatabase.isSealed(place.file("\(name).copy")))
            #expect(try place.mode("\(name).copy") == 0o600)
            #expect(try place.sealite("verify", "\(name).copy", "--key-file", secret).status == 0)
        }
        // A plain copy is made where its VFS is named, and of a plain database neither by accident.
        #expect(try vacuum("VACUUM INTO 'file:plain copy.db?vfs=unix'").status == 0)
        #expect(!SealedDatabase.isSealed(place.file("plain copy.db")))
        let plain = "ATTACH 'file:plain.db?vfs=unix' AS p; VACUUM p INTO 'of plain.db'"
        let ran = try sql(plain, "--json")
        #expect(!place.exists("of plain.db") || SealedDatabase.isSealed(place.file("of plain.db")), "\(ran.err)")
    }

    @Test(
        "attachments that can't be meant are refused as usage",
        arguments: [
            ["--attach", "same.db"], ["--attach", "x=a", "--attach", "X=b"], ["--attach-key-file", "x=key"],
            ["--attach", "x=a", "--attach-key-file", "x=key", "--attach-passphrase-file", "x=passphrase"],
        ])
    func attachUsage(options: [String]) throws {
        #expect(try place.run([Tool.path, "sql", "a.db", "SELECT 1", "--key-file", "key"] + options).status == 64)
    }
}
