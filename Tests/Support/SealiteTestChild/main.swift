// A process beside the test's own, which opens databases and does as it is told, one command a line:
//
//   create PATH SEED                 makes a sealed database under the raw key of 32 bytes SEED
//   open NAME PATH SEED              opens it and a connection of that name
//   plain NAME PATH                  opens a connection to a plain database
//   sql NAME STATEMENTS              runs them; each row comes back as "= a|b"
//   append NAME TABLE COUNT WHO MS   inserts COUNT rows, one commit each; each is acknowledged as "ack n". MS, which may be
//                                    left out, is a pause after each: in rollback mode a writer without one starves others
//   migrate PATH SEED                migrates the notes in a document database to version 2; says "begun" with the first one
//   save PATH SEED COLLECTION ID JSON  saves a document; JSON has no spaces
//   delete PATH SEED COLLECTION ID   deletes a document
//   purge PATH SEED COLLECTION ID    purges a document
//   documents PATH SEED COUNT WHO CHANCE  saves, deletes and purges documents of a document database in COUNT commits, as the
//                                    number CHANCE decides
//   rotate NAME                      rotates the keys; says "begun" with the first batch
//   checkpoint NAME MODE             checkpoints again and again until the next line comes: "= count|refused backfills"
//   watch NAME TABLE                 counts the rows again and again: "= count", until it is killed
//   close NAME
//   fork NAME PATH SEED              forks; the child reports on the connection it inherited, and on its own, by a key and by
//                                    the handle that it inherited
//
// Each command ends with "ok", or with "error CODE: REASON".

import CSQLite
import Glibc
import SealiteCrypto
import SealiteFile

var session = Session()
while let line = readLine() { session.perform(line) }

/// Prints a line at once: a process that is killed has said all it did.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}

/// The connections of this process, by name.
struct Session {
    private var handles: [String: SealedDatabase] = [:]
    private var connections: [String: RawConnection] = [:]

    mutating func perform(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        do {
            try perform(words.first ?? "", words.count > 1 ? words[1] : "")
            say("ok")
        } catch let error as SealedFileError {
            say("error \(error.code.rawValue): \(error.reason)")
        } catch {
            say("error unknown: \(error)")
        }
    }

    private mutating func perform(_ command: String, _ rest: String) throws {
        let words = rest.split(separator: " ").map(String.init)
        switch (command, words.count) {
        case ("create", 2):
            _ = try SealedDatabase.create(words[0], slot: .rawKey(key(words[1])))
        case ("open", 3):
            let database = try SealedDatabase.open(words[1], key: .rawKey(key(words[2])))
            handles[words[0]] = database
            connections[words[0]] = try database.connect(busyTimeout: .seconds(60))
        case ("plain", 2):
            connections[words[0]] = try RawConnection(uri: "file:\(words[1])", path: words[1])
        case ("sql", 2...):
            try run(String(rest.dropFirst(words[0].count + 1)), on: try connection(words[0]))
        case ("append", 4), ("append", 5):
            let pause = words.count > 4 ? UInt32(words[4]) ?? 0 : 0
            try append(to: words[1], Int(words[2]) ?? 0, words[3], pause: pause, on: try connection(words[0]))
        case ("documents", 5):
            try changeDocuments(
                words[0], key: key(words[1]), Int(words[2]) ?? 0, words[3], chance: UInt64(words[4]) ?? 0)
        case ("rotate", 1): try rotate(words[0])
        case ("migrate", 2): try migrateNotes(words[0], key: key(words[1]))
        case ("save", 5):
            try changeDocument(words[3], in: words[2], of: words[0], key: key(words[1]), .save(json: words[4]))
        case ("delete", 4): try changeDocument(words[3], in: words[2], of: words[0], key: key(words[1]), .delete)
        case ("purge", 4): try changeDocument(words[3], in: words[2], of: words[0], key: key(words[1]), .purge)
        case ("checkpoint", 2): try checkpoint(words[1], on: try connection(words[0]))
        case ("watch", 2): try watch(words[1], on: try connection(words[0]))
        case ("close", 1):
            connections[words[0]] = nil
            handles[words[0]] = nil
        case ("fork", 3):
            try fork(try connection(words[0]), handles[words[0]], words[1], words[2])
        default:
            throw SealedFileError(.invalidArgument, "unknown command")
        }
    }

    private func key(_ seed: String) -> SecretBytes {
        let bytes = [UInt8](repeating: UInt8(seed) ?? 0, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }

    private func connection(_ name: String) throws -> RawConnection {
        guard let connection = connections[name] else { throw SealedFileError(.invalidArgument, "no such connection") }
        return connection
    }

    private func run(_ statements: String, on connection: RawConnection) throws {
        for statement in statements.split(separator: ";") {
            try connection.query(String(statement)) { row in
                say("= " + (0..<row.columnCount).map { row.text($0) ?? "NULL" }.joined(separator: "|"))
            }
        }
    }

    private func rotate(_ name: String) throws {
        guard let handle = handles[name] else { throw SealedFileError(.invalidArgument, "no such database") }
        var hasBegun = false
        let begun = { (_: RotationProgress) -> KeyRotation.Control in
            if !hasBegun { say("begun") }
            hasBegun = true
            return .proceed
        }
        let rotation = try KeyRotation(of: handle)
        let report = try rotation.isResuming ? rotation.finish(progress: begun) : rotation.run(progress: begun)
        say("= \(report.epoch)|\(report.wasResumed)")
    }

    private func watch(_ table: String, on connection: RawConnection) throws {
        while true {
            say("= \(try connection.integer("SELECT count(*) FROM \(table)"))")
            usleep(2000)
        }
    }

    private func checkpoint(_ mode: String, on connection: RawConnection) throws {
        var count = 0
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&input, 1, 0) == 0 {
            try connection.query("PRAGMA wal_checkpoint(\(mode))")
            count += 1
        }
        _ = readLine()
        say("= \(count)|\(WALResetGuard.refusalCount)")
    }

    private func append(
        to table: String, _ count: Int, _ who: String, pause: UInt32, on connection: RawConnection
    ) throws {
        var number = 0
        while number < count {
            guard try insert(number + 1, who, into: table, on: connection) else { continue }
            number += 1
            say("ack \(number)")
            if pause > 0 { usleep(pause * 1000) }
        }
    }

    /// False where another process was busy for longer than the timeout.
    private func insert(_ number: Int, _ who: String, into table: String, on connection: RawConnection) throws -> Bool {
        let statement = "INSERT INTO \(table)(who, number, filler) VALUES (?, ?, hex(randomblob(60)))"
        do throws(SealedFileError) {
            try connection.query(statement, bind: [.text(who), .integer(Int64(number))])
            return true
        } catch {
            if error.code == .busy { return false }
            throw error
        }
    }

    /// Checks what a child process may do with inherited connections and handles.
    private func fork(
        _ inherited: RawConnection, _ handle: SealedDatabase?, _ path: String, _ seed: String
    ) throws {
        // Swift hides fork(2), because most programs want posix_spawn(3): here it is the thing to test.
        guard let symbol = unsafe dlsym(nil, "fork") else { throw SealedFileError(.internalFailure, "no fork") }
        let call = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let child = call()
        if child == 0 {
            report("inherited read") { _ = try inherited.integer("SELECT count(*) FROM notes") }
            report("inherited write") { try inherited.execute("DELETE FROM notes") }
            report("own") {
                let database = try SealedDatabase.open(path, key: .rawKey(key(seed)))
                try database.connect().execute("INSERT INTO notes(body) SELECT hex(randomblob(500)) FROM notes")
            }
            report("by the inherited handle") {
                try handle?.connect().execute("UPDATE notes SET body = body || 'x' WHERE id % 3 = 0")
            }
            _exit(0)
        }
        var status: CInt = 0
        unsafe waitpid(child, &status, 0)
        say("= exit|\(status)")
    }

    private func report(_ what: String, _ body: () throws -> Void) {
        do {
            try body()
            say("= \(what)|done")
        } catch {
            say("= \(what)|\((error as? SealedFileError)?.code.rawValue ?? "unknown")")
        }
    }
}
