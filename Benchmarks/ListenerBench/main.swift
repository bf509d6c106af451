// What `make bench BENCH=listener` says: `sealite serve` in one process, with TLS on 127.0.0.1, and 1 to 500 clients in other processes. Each
// client has a database and a connection of its own, pushes 100 documents of about 1 KB to one collection, and pulls 100 of another. All
// begin at once. One client that does the work of 200 is what their rate is compared with. Client databases are in memory, if /dev/shm is
// there, so that the disk is the server's.
//
// The last lines hold the figures against the bounds; the exit code is 1 if one is exceeded. Rates are of the wall clock, for a machine
// on which nothing else runs; the clients share its processors with the server.
//
// Usage: ListenerBench SEALITE [CLIENTS...]; the other forms are how it calls itself.
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch arguments.first {
    case "fill": try ServerFile.fill(arguments[1], documents: number(arguments[2]))
    case "clients":
        try await ClientGroup(
            first: number(arguments[1]), count: number(arguments[2]), documents: number(arguments[3]),
            url: arguments[4],
            pin: arguments[5]
        ).run()
    case let program?:
        let counts = try arguments.dropFirst().map(number)
        exit(try ListenerBench(program: program).run(counts.isEmpty ? [1, 10, 50, 200, 500] : counts) ? 0 : 1)
    case nil: throw BenchFailure(description: "usage: ListenerBench SEALITE [CLIENTS...]")
    }
} catch {
    FileHandle.standardError.write(Data("ListenerBench: \(error)\n".utf8))
    exit(1)
}

struct BenchFailure: Error, CustomStringConvertible { let description: String }

func number(_ text: String) throws -> Int {
    guard let value = Int(text), value >= 0 else { throw BenchFailure(description: "\(text) is no number") }
    return value
}
