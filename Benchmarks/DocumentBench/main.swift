// What `make bench` says of the document database: the same 100,000 documents of about 290 bytes as every figure in
// Documentation, sealed, against plain GRDB that keeps the same JSON text by id in an ordinary file. Times are of the wall
// clock and of the process's processor time, as the machine may be shared; ratios are of processor time.
import BenchmarkData
import Foundation
import GRDB
import SealiteCrypto
import SealiteDatabase
import SealiteFile

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == StreamBench.argument {
    try StreamBench(folder: CommandLine.arguments[2]).run()
    exit(0)
}

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == MigrationBench.argument {
    try MigrationBench.migrate(CommandLine.arguments[2])
    exit(0)
}

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == GrowthBench.argument,
    let count = Int(CommandLine.arguments[2])
{
    let measure = Measurement()
    try GrowthBench(few: max(count / 100, 1), many: count, measure: measure).run()
    exit(measure.judge() ? 0 : 1)
}

let folder = NSTemporaryDirectory() + "sealite-bench-\(getpid())"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
let people = Array(PersonGenerator(count: count))
let texts = people.map { Array($0.json.utf8) }

// Baseline of the memory figure: what the generated data itself takes.
let dataMemory = SealedBench.peakMemory
let measure = Measurement()
let sealed = try SealedBench(folder: folder, people: people, texts: texts, measure: measure)
let plain = try PlainBench(folder: folder, people: people, texts: texts, measure: measure)
/// Repeats the bounded rows four times, alternating and in new files, since one run on a shared machine is
/// inconclusive.
@MainActor func insertInTurn() throws {
    let place = folder + "/again"
    for _ in 0..<4 {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for versioning in DocumentVersioning.allCases {
            let again = try SealedBench(
                folder: place, people: people, texts: texts, measure: measure, versioning: versioning)
            try again.insert()
            try again.database.close()
        }
        try PlainBench(folder: place, people: people, texts: texts, measure: measure).insert()
        try FileManager.default.removeItem(atPath: place)
    }
}
// A second argument names the parts to run, such as `sealed-insert,sealed-update`; all where there is none.
let parts: [(name: String, run: () throws -> Void)] = [
    ("sealed-insert", sealed.insert), ("plain-insert", plain.insert), ("inserts-in-turn", insertInTurn),
    ("sealed-sizes", sealed.sizes),
    ("sealed-setters", sealed.insertWithSetters),
    ("sealed-read", sealed.read), ("plain-read", plain.read), ("sealed-update", sealed.update),
    ("plain-update", plain.update), ("sealed-single", sealed.singleTransactions),
    ("plain-single", plain.singleTransactions), ("sealed-enumerate", sealed.enumerate), ("sealed-count", sealed.count),
    ("indexes", IndexBench(folder: folder, people: people, texts: texts, measure: measure).run),
    ("queries", QueryBench(folder: folder, people: people, texts: texts, measure: measure).run),
    ("points", PointBench(folder: folder, people: people, texts: texts, measure: measure).run),
    ("full-text", FullTextBench(folder: folder, measure: measure).run),
    ("validation", ValidationBench(folder: folder, measure: measure).run),
    ("migration", MigrationBench(folder: folder, texts: texts).run),
    ("mongo", MongoBench(folder: folder, people: people, texts: texts, measure: measure).run),
    ("geo", GeoBench(folder: folder, count: 10 * count, measure: measure).run),
    ("live", LiveBench(folder: folder, people: people, texts: texts, measure: measure).run),
    ("models", ModelBench(folder: folder, people: people, texts: texts, measure: measure).run),
]
let chosen = CommandLine.arguments.dropFirst(2).first.map { Set($0.split(separator: ",").map(String.init)) }
for part in parts where chosen?.contains(part.name) ?? true { try part.run() }
sealed.printPeakMemory()
try sealed.database.close()
let isWithinBounds = measure.judge()
try FileManager.default.removeItem(atPath: folder)
exit(isWithinBounds ? 0 : 1)
