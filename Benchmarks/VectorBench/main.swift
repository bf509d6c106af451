// What `make bench BENCH=vectors` says of vector search: 100,000 vectors of 384 dimensions in a sealed document database, on
// two sets that a seed makes: "hard" has overlapping clusters in 48 latent dimensions, "easy" 1,000 tight clusters. Times are of
// the process's processor, for one search after the other; recall is the part of the true ten nearest that is found.
//
// At the end it compares the memory that searches and trainings take beyond the page cache with bounds, and fails if they exceed them.
//
// Usage: VectorBench [COUNT [FOLDER]]; with a folder, the vectors and the searches are kept in it for vector_peers.py, which
// measures other programs on the same ones. VectorBench large [COUNT] compares an index over a million small vectors with scans.
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 3, arguments[0] == "memory", let work = MemoryBench.Work(rawValue: arguments[1]) {
    exit(try MemoryBench.measure(work, path: arguments[2]) ? 0 : 1)
}
let isLarge = arguments.first == "large"
let count = arguments.dropFirst(isLarge ? 1 : 0).first.flatMap { Int($0) } ?? (isLarge ? 1_000_000 : 100_000)
let kept = isLarge ? nil : arguments.dropFirst().first
let folder = kept ?? NSTemporaryDirectory() + "sealite-vectors-\(getpid())"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
var isRight = true
if isLarge {
    var bench = try LargeBench(count: count, folder: folder)
    isRight = try bench.run()
} else {
    for set in VectorSet.Kind.allCases {
        let bench = VectorBench(set: VectorSet(set, count: count), folder: folder)
        try bench.run()
        if set == .hard { isRight = try MemoryBench.run(path: bench.path) }
    }
}
if kept == nil { try? FileManager.default.removeItem(atPath: folder) }
exit(isRight ? 0 : 1)
