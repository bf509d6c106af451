// What `make bench` says of replication: two processes on loopback, both ends sealed, a listener and a replicator, with and
// without TLS. Documents of about 300 bytes and attachments of 100 KB are pushed and pulled; then single documents are pushed
// one after the other. Rates are of the wall clock, on a machine that is perhaps shared; processor time is of each process.
//
// At last documents that are synced one by one, beside a replicator of all, and changed documents as deltas;
// `ReplicationBench mobile` and `ReplicationBench deltas` are those alone, `ReplicationBench delta-saves` what
// deltas cost a save, and `ReplicationBench delta-format` what it costs to make and apply them.
//
// Usage: ReplicationBench [DOCUMENTS [ATTACHMENTS]]; the other forms are how it calls itself.
import Foundation
import SealiteReplicator

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch arguments.first {
    case "fill":
        try Role.fill(arguments[1], documents: Role.number(arguments[2]), attachments: Role.number(arguments[3]))
    case "serve": try await Role.serve(arguments[1], isEncrypted: arguments[2] == "tls")
    case "push": try await Role.replicate(arguments[1], .push, to: arguments[2], pin: arguments[3])
    case "pull": try await Role.replicate(arguments[1], .pull, to: arguments[2], pin: arguments[3])
    case "single": try await Role.single(arguments[1], to: arguments[2], pin: arguments[3], count: 500)
    case "mobile-start":
        try await MobileRole.start(arguments[1], to: arguments[2], pin: arguments[3], count: Role.number(arguments[4]))
    case "mobile-add":
        try await MobileRole.add(arguments[1], to: arguments[2], pin: arguments[3], id: arguments[4])
    case "mobile-single": try await MobileRole.single(arguments[1], to: arguments[2], pin: arguments[3], count: 500)
    case "mobile": try MobileBench(documents: 10_000).run()
    case "delta-fill":
        try DeltaBench.fill(
            arguments[1], documents: Role.number(arguments[2]), chapters: Role.number(arguments[3]),
            sentences: Role.number(arguments[4]))
    case "delta-edit":
        try DeltaBench.edit(arguments[1], chapters: Role.number(arguments[2]), round: Role.number(arguments[3]))
    case "delta-saves":
        try DeltaBench(documents: try arguments.dropFirst().first.map(Role.number) ?? 5_000, rounds: 5).runSaves()
    case "delta-format": try DeltaBench(documents: 0, rounds: 5).runFormat()
    case "deltas":
        try DeltaBench(documents: try arguments.dropFirst().first.map(Role.number) ?? 5_000, rounds: 5).run()
    default:
        let bench = try ReplicationBench(
            documents: try arguments.first.map(Role.number) ?? 100_000,
            attachments: try arguments.dropFirst().first.map(Role.number) ?? 1_000)
        let isGood = try bench.run()
        try MobileBench(documents: 10_000).run()
        try DeltaBench(documents: 5_000, rounds: 5).run()
        exit(isGood ? 0 : 1)
    }
} catch {
    FileHandle.standardError.write(Data("ReplicationBench: \(error)\n".utf8))
    exit(1)
}
