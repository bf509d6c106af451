// A client of per-document sync, which writes without end until it is killed: `SealiteMobileTestChild PATH URL SEED`. It says each event that it is told, as
// "told NUMBER JSON", and "began" before its first write.

import Glibc
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteMobileSync
import SealiteMongo
import SealiteReplicator
import SealiteValues

/// Prints a line at once: a process that is killed has said all it did.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, var state = UInt64(arguments[3]) else { exit(64) }

/// A number below a limit, of a sequence that the seed repeats.
func random(_ limit: UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) % limit
}

let bytes = [UInt8](repeating: 7, count: 32)
let database = try Database.open(arguments[1], key: .rawKey(unsafe SecretBytes(copying: bytes.span.bytes)))
let documents: MongoCollection<MongoDocument> = try MongoStore(database).collection("docs")
let target = try EndpointURL(arguments[2])
await MobileSync.of(database).connect(
    to: MobileSyncRemote(target) { configuration in
        configuration.trust = .selfSigned
        configuration.maxAttemptWaitTime = .milliseconds(20)
    })
try await documents.sync.configure(
    conflictHandler: { _, _, remote in remote.fullDocument },
    changeEventDelegate: { id, event in
        let words: MongoDocument = [
            "id": id, "operation": .string(event.operationType.rawValue),
            "isUncommitted": .bool(event.hasUncommittedWrites),
            "document": event.fullDocument.map { .document($0) } ?? .null,
        ]
        say("told \(event.id) \(BSON.document(words).extendedJSON(.canonical))")
    })
say("began")
while true {
    let id = BSON.int32(1 + Int32(random(4)))
    let value = BSON.int32(Int32(random(1_000_000)))
    switch random(6) {
    case 0, 1: _ = try? await documents.sync.insertOne(["_id": id, "n": value])
    case 2, 3: _ = try? await documents.sync.updateOne(["_id": id], ["$set": .document(["n": value])])
    case 4: _ = try? await documents.sync.deleteOne(["_id": id])
    default: try? await documents.sync.syncOne(id)
    }
    if random(4) == 0 { try? await Task.sleep(for: .milliseconds(3)) }
}
