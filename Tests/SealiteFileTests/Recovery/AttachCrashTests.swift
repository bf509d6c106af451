import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("a crash in a transaction over two files")
struct AttachCrashTests {
    /// The process that opens one of the files before both are opened together.
    enum FirstVisitor: CaseIterable {
        /// A process that knows nothing of sealing.
        case stock
        /// A process that has the key of one of them only.
        case oneKey
        /// A process that has both keys.
        case bothKeys
    }

    private struct Pair {
        let folder: Folder
        /// A Boolean value that says whether the second file is plain.
        let isPlain: Bool

        init(mode: String, isPlain: Bool) throws {
            folder = try Folder()
            self.isPlain = isPlain
            try folder.create("a.db", mode: mode, seed: 1, rows: 20)
            if isPlain {
                let plain = try RawConnection(
                    uri: "file:\(folder.file("b.db"))", path: "b.db", flags: 6 /* read, write, create */)
                _ = try plain.text("PRAGMA journal_mode = \(mode)")
                try plain.execute("CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT)")
                try plain.addNotes(20)
            } else {
                try folder.create("b.db", mode: mode, seed: 2, rows: 20)
            }
        }

        init(copying other: Pair) throws {
            (folder, isPlain) = (try Folder(), other.isPlain)
            try other.folder.copy(to: folder)
        }

        /// Opens both on one connection, and lends it.
        func both<R>(vfs: VFSChoice = .standard, mode: String, _ body: (RawConnection) throws -> R) throws -> R {
            let first = try folder.open("a.db", seed: 1, vfs: vfs)
            let second = isPlain ? nil : try folder.open("b.db", seed: 2, vfs: vfs)
            let connection = try first.connect()
            let uri = second?.uri ?? "file:\(folder.file("b.db"))?vfs=\(vfs.base)"
            try connection.execute("ATTACH '\(uri)' AS b")
            for schema in ["main", "b"] { _ = try connection.text("PRAGMA \(schema).journal_mode = \(mode)") }
            return try body(connection)
        }

        func transaction(vfs: VFSChoice, mode: String) throws {
            try both(vfs: vfs, mode: mode) { connection in
                try connection.execute(
                    "BEGIN; UPDATE main.notes SET body = 'new ' || body; UPDATE b.notes SET body = 'new ' || body; COMMIT"
                )
            }
        }

        /// Lets someone open the files, the given one first. What it can't read it must leave alone.
        func visit(_ visitor: FirstVisitor, _ order: [String]) throws {
            for name in order {
                switch visitor {
                case .stock:
                    let sql = "SELECT count(*) FROM notes; CREATE TABLE IF NOT EXISTS x(y); PRAGMA user_version;"
                    _ = try ChildProcess.run("/usr/bin/sqlite3", [folder.file(name)], input: sql)
                case .oneKey:
                    let hasKey = name == order[0]
                    let isPlainFile = name == "b.db" && isPlain
                    if hasKey, !isPlainFile {
                        let database = try folder.open(name, seed: name == "a.db" ? 1 : 2)
                        _ = try? database.connect().fingerprint()
                    } else {
                        let uri = isPlainFile ? "file:\(folder.file(name))" : VFSChoice.standard.uri(folder.file(name))
                        _ = try? RawConnection(uri: uri, path: name).fingerprint()
                    }
                case .bothKeys:
                    let databases = try (isPlain ? ["a.db"] : ["a.db", "b.db"]).map {
                        try folder.open($0, seed: $0 == "a.db" ? 1 : 2)
                    }
                    let uri = (name == "b.db" && isPlain ? "file:" : "") + folder.file(name)
                    let found = databases.first { $0.path == folder.file(name) }?.uri ?? uri
                    _ = try RawConnection(uri: found, path: name).fingerprint()
                }
            }
        }

        /// Returns whether both files contain the transaction; nil if they differ.
        func isNew(mode: String) throws -> Bool? {
            try both(mode: mode) { connection in
                let counts = try ["main", "b"].map {
                    try connection.integer("SELECT count(*) FROM \($0).notes WHERE body LIKE 'new %'")
                }
                for schema in ["main", "b"] { #expect(try connection.text("PRAGMA \(schema).integrity_check") == "ok") }
                return counts == [0, 0] ? false : counts == [20, 20] ? true : nil
            }
        }
    }

    struct Setting: CustomStringConvertible {
        let mode: String
        let isPlain: Bool
        var description: String { "\(mode), with a \(isPlain ? "plain" : "sealed") file" }

        static let all = [false, true].flatMap { isPlain in
            ["DELETE", "TRUNCATE", "PERSIST"].map { Setting(mode: $0, isPlain: isPlain) }
        }
    }

    @Test(
        "a crash in a transaction over two files leaves both as before or both as after, whoever recovers first",
        arguments: FirstVisitor.allCases, Setting.all)
    func atomicity(visitor: FirstVisitor, setting: Setting) throws {
        let (mode, isPlain) = (setting.mode, setting.isPlain)
        let start = try Pair(mode: mode, isPlain: isPlain)
        let disk = try MortalDisk()
        let rehearsal = try Pair(copying: start)
        let count = try disk.mutations { try rehearsal.transaction(vfs: disk.choice, mode: mode) }
        #expect(try rehearsal.isNew(mode: mode) == true)
        var outcomes: [Bool: Int] = [:]
        // Not every death: a stock process costs a fork. The start moves with the mode.
        let step = visitor == .stock ? 5 : 2
        for number in Array(stride(from: 1 + mode.utf8.count % step, to: count, by: step)) + [count] {
            for order in [["a.db", "b.db"], ["b.db", "a.db"]] {
                let pair = try Pair(copying: start)
                disk.die(at: number) { try pair.transaction(vfs: disk.choice, mode: mode) }
                let files = pair.folder.names
                try pair.visit(visitor, order)
                let isNew = try pair.isNew(mode: mode)
                #expect(isNew != nil, "died at \(number) of \(count) with \(files), \(order[0]) first: torn apart")
                if let isNew { outcomes[isNew, default: 0] += 1 }
            }
        }
        #expect(outcomes[false, default: 0] > 0 && outcomes[true, default: 0] > 0, "\(outcomes) of \(count) deaths")
    }
}
