// What `make bench BENCH=vectors` says of vector search: 100,000 vectors of 384 dimensions in a sealed document database, on
// two sets that a seed makes: "hard" has overlapping clusters in 48 latent dimensions, "easy" 1,000 tight clusters. Times are of
// the process's processor, for one search after the other; recall is the part of the true ten nearest that is found.
//
// Usage: VectorBench [COUNT [FOLDER]]; with a folder, the vectors and the searches are kept in it for vector_peers.py, which
// measures other programs on the same ones.
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let count = arguments.first.flatMap { Int($0) } ?? 100_000
let kept = arguments.dropFirst().first
let folder = kept ?? NSTemporaryDirectory() + "sealite-vectors-\(getpid())"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { if kept == nil { try? FileManager.default.removeItem(atPath: folder) } }
for set in VectorSet.Kind.allCases {
    let bench = VectorBench(set: VectorSet(set, count: count), folder: folder)
    try bench.run()
}
