import CBench
import CSQLite
import Glibc
import SealiteFile

// Sealed against plain: same machine, same run, same libsqlite3, interleaved; peers against plain of their own. Prints CPU ratios,
// medians of the rounds, and how far each row is above the limit that OpenSSL itself sets. Exits with 1 if a row is above
// its bound. Documentation/Performance.md

let options = Options(Array(CommandLine.arguments.dropFirst()))
let scene = Scene()
try SealedVFS.register(name: Scene.counting.name, over: Scene.counting.base)
let bench = Bench(scene: scene, options: options)
let peers = options.peers.map { Peers(python: $0.python, script: $0.script, scene: scene) }

// The fastest of many: a processor that was idle is slow at first.
let prices = [CInt(0), 1].map { sealing in (0..<50).map { _ in bench_page_cost(sealing, 4048) }.min() }
print(
    "SQLite \(unsafe String(cString: sqlite3_libversion())), \(options.rows) rows, medians of \(options.rounds) rounds, CPU time; "
        + "OpenSSL opens a page of 4 KiB in \(column(prices[0], 0, width: 1)) ns, seals it in "
        + "\(column(prices[1], 0, width: 1)) ns\n")
print(
    column("work", width: 21) + column("mode", width: 7)
        + " plain s sealed s   ratio elapsed   asked   limit over %  judged"
        + "   opened   sealed malloc/p random/p  SQLCipher   MC")
var isAboveBound = false
for workload in Workload.all(rows: options.rows) where options.only.isEmpty || workload.name.contains(options.only) {
    let row = try bench.row(workload)
    isAboveBound = isAboveBound || row.isAbove
    let ratios = peers?.ratios(workload, rounds: options.rounds) ?? [nil, nil]
    print(
        column(workload.name, width: 21) + column(workload.journalMode, width: 7) + column(row.plain, 3)
            + column(row.sealed, 3, width: 9) + column(row.ratio, 2) + column(row.elapsedRatio, 2)
            + column(workload.bound, 2) + column(row.limit, 2)
            + column((row.ratio / row.limit - 1) * 100, 0, width: 7) + column(row.judgedAgainst, 2)
            + column(row.work.opened, 0, width: 9) + column(row.work.sealed, 0, width: 9)
            + column(row.allocationsPerPage, 3, width: 9) + column(row.randomCallsPerPage, 3, width: 9)
            + column(ratios[0], 2, width: 11) + column(ratios[1], 2, width: 5) + (row.isAbove ? "  ABOVE" : ""))
    fflush(nil)
}
if options.extras, try Extras(bench: bench, scene: scene, options: options).run() { isAboveBound = true }
scene.end()
exit(isAboveBound ? 1 : 0)
