import CSQLite
import Glibc
import SealiteCrypto
import SealiteFile

// Rotation, slot changes and backup, against SQLCipher's rekey and SQLite's own backup in the same run. All times are wall clock
// seconds, medians of the rounds. Exits with 1 if a row is above its bound.
//
//     RotationBench [ROUNDS [MEBIBYTES]]      $SEALITE_PEERS_PYTHON: a Python that has sqlcipher3, for the comparison

let arguments = CommandLine.arguments
let rounds = arguments.dropFirst().first.flatMap { Int($0) } ?? 3
let mebibytes = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 500
let folder = unsafe String(cString: getenv("TMPDIR") ?? strdup("/var/tmp")) + "/sealite-rotation-bench-\(getpid())"
unsafe mkdir(folder, 0o700)
let names = ["sealed.db", "plain.db", "copy.db"]
atexit {
    for name in names { remove(folder + "/" + name) }
    unsafe rmdir(folder)
}

func remove(_ path: String) {
    for end in ["", "-wal", "-shm", "-journal", "-rotate"] { unsafe unlink(path + end) }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func run(_ uri: String, _ sql: String) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
    precondition(unsafe sqlite3_open_v2(uri, &handle, flags, nil) == SQLITE_OK, uri)
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    precondition(code == SQLITE_OK, unsafe String(cString: sqlite3_errmsg(handle)))
    unsafe sqlite3_close_v2(handle)
}

/// A row of 490 random bytes per 513.
let fill = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c BLOB); CREATE TABLE w(x);
    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(mebibytes * 2000))
    INSERT INTO t SELECT x, x * 7919 % 1000003, randomblob(490) FROM n;
    """

/// SQLCipher's rekey of the same content; nil where there is no SQLCipher.
func rekeySeconds(mode: String) -> Double? {
    guard let python = unsafe getenv("SEALITE_PEERS_PYTHON").map({ unsafe String(cString: $0) }) else { return nil }
    let script = #filePath.replacing("main.swift", with: "rekey.py")
    let command = "'\(python)' '\(script)' '\(folder)/plain.db' \(mode) \(mebibytes * 2000)"
    guard let pipe = unsafe popen(command, "r") else { return nil }
    var line = [CChar](repeating: 0, count: 64)
    guard unsafe fgets(&line, 64, pipe) != nil else { return nil }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard unsafe pclose(pipe) == 0 else { return nil }
    return Double(text.split(separator: "\n").first ?? "")
}

var table = Table()
for mode in ["WAL", "DELETE"] {
    let path = folder + "/sealed.db"
    remove(path)
    let database = try SealedDatabase.create(path, slot: .rawKey(.random(byteCount: 32)))
    run(
        database.uri, "PRAGMA journal_mode=\(mode); PRAGMA synchronous=OFF; " + fill + "PRAGMA wal_checkpoint(TRUNCATE)"
    )
    sync()
    print("\(mode), \(mebibytes) MB")
    var (alone, beside, rekey): ([Double], [Double], [Double]) = ([], [], [])
    var longest = 0.0
    var peak = 0.0
    for _ in 0..<rounds {
        PeakMemory.reset()
        alone.append(try seconds { _ = try KeyRotation(of: database).run() })
        peak = max(peak, PeakMemory.mebibytes)
        if let time = rekeySeconds(mode: mode) { rekey.append(time) }
        let writer = PatientWriter(database)
        writer.start()
        beside.append(try seconds { _ = try KeyRotation(of: database).run() })
        longest = max(longest, writer.stop().milliseconds)
    }
    if rekey.isEmpty {
        table.row("rotation", median(alone), "s", remark: "no SQLCipher to compare with: set SEALITE_PEERS_PYTHON")
    } else {
        table.row("SQLCipher's rekey", median(rekey), "s")
        table.row("rotation", median(alone), "s", atMost: median(rekey) * 1.5)
    }
    table.row("rotation beside a writer", median(beside), "s")
    table.row("memory of a rotation", peak, "MiB", atMost: 64)
    table.row("longest wait of a writer", longest, "ms", atMost: 50)
    var slot: [Double] = []
    for _ in 0..<20 {
        slot.append(1000 * (try seconds { try database.addSlot(.rawKey(.random(byteCount: 32)), label: "bench") }))
        slot.append(1000 * (try seconds { try database.removeSlot(2) }))
    }
    table.row("slot change", slot.max() ?? 0, "ms", atMost: 50)
    try measureBackup(database, mode: mode, table: &table)
}
exit(table.isAboveBound ? 1 : 0)
