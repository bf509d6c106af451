import CSQLite
import Glibc
import SealiteCrypto
import SealiteFile

// Sealed against plain: same machine, same run, same libsqlite3, interleaved. Prints CPU ratios, medians of the rounds, and
// how far each row is above the limit that the sealing itself sets. Exits with 1 if a row is above its bound.

let arguments = CommandLine.arguments
let rounds = arguments.dropFirst().first.flatMap { Int($0) } ?? 5
let filter = arguments.dropFirst(2).first ?? ""
let folder = unsafe String(cString: getenv("TMPDIR") ?? strdup("/var/tmp")) + "/sealite-bench-\(getpid())"
unsafe mkdir(folder, 0o700)
atexit {
    for name in ["plain.db", "sealed.db"] {
        for end in ["", "-wal", "-shm", "-journal"] { unsafe unlink(folder + "/" + name + end) }
    }
    unsafe rmdir(folder)
}

func cpuSeconds() -> Double {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func format(_ value: Double, _ digits: Int = 3) -> String {
    let scale = pow(10, Double(digits))
    let text = "\((value * scale).rounded() / scale)"
    return String(repeating: " ", count: max(0, 9 - text.count)) + text
}

func remove(_ path: String) { for end in ["", "-wal", "-shm", "-journal"] { unsafe unlink(path + end) } }

@MainActor
func freshFile(sealed: Bool) throws -> String {
    let path = folder + (sealed ? "/sealed.db" : "/plain.db")
    remove(path)
    guard sealed else { return "file:\(path)" }
    let database = try SealedDatabase.create(path, slot: .rawKey(.random(byteCount: 32)))
    handles = [database]
    return database.uri
}

/// Keeps the keys of the file that is measured.
var handles: [SealedDatabase] = []

func settings(_ workload: Workload) -> String {
    "PRAGMA journal_mode=\(workload.journalMode); PRAGMA synchronous=\(workload.journalMode == "WAL" ? "NORMAL" : "FULL"); "
        + "PRAGMA cache_size=-2000"
}

func measure(_ workload: Workload, _ uri: String) -> Double {
    let connection = BenchConnection(uri)
    connection.run(settings(workload))
    if workload.needsFreshFile { workload.prepare(connection) }
    let start = cpuSeconds()
    workload.run(connection)
    return cpuSeconds() - start
}

var isAboveBound = false
print("workload                mode      plain s  sealed s     ratio   at most")
for workload in Workload.all() where filter.isEmpty || workload.name.contains(filter) {
    var plain: [Double] = []
    var sealed: [Double] = []
    var uris: [Bool: String] = [:]
    if !workload.needsFreshFile {
        for kind in [false, true] {
            uris[kind] = try freshFile(sealed: kind)
            let connection = BenchConnection(uris[kind] ?? "")
            connection.run(settings(workload))
            workload.prepare(connection)
            connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
    for round in 0...rounds {
        for kind in [false, true] {
            let uri = if let uri = uris[kind] { uri } else { try freshFile(sealed: kind) }
            let seconds = measure(workload, uri)
            if round > 0 { if kind { sealed.append(seconds) } else { plain.append(seconds) } }
        }
    }
    let ratio = median(zip(sealed, plain).map { $0 / $1 })
    if ratio > workload.bound { isAboveBound = true }
    let name = workload.name + String(repeating: " ", count: max(1, 24 - workload.name.count))
    print(
        name + workload.journalMode + (workload.journalMode == "WAL" ? "   " : "") + format(median(plain)) + " "
            + format(median(sealed)) + " " + format(ratio) + " " + format(workload.bound, 2)
            + (ratio > workload.bound ? "  ABOVE" : ""))
}
exit(isAboveBound ? 1 : 0)
