// Two sealed databases that sync: first within the program, then over TLS with a password and a pinned certificate.
// Usage: SyncPair FOLDER, an empty one.

import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// Thrown where the arguments aren't as they have to be, or something isn't as it should.
struct Failure: Error {}

let arguments = CommandLine.arguments
guard arguments.count == 2 else {
    print("usage: SyncPair FOLDER")
    throw Failure()
}
func makeDatabase(_ name: String) throws -> DocumentDatabase {
    try DocumentDatabase.create("\(arguments[1])/\(name).db", slot: .rawKey(try .random(byteCount: 32)))
}
func run() async throws {
    let (office, laptop) = (try makeDatabase("office"), try makeDatabase("laptop"))
    try await office.save(document: MutableDocument(id: "a").setString("from the office", forKey: "text"))
    try await laptop.save(document: MutableDocument(id: "b").setString("from the laptop", forKey: "text"))

    // Within the program.
    let own = try [laptop.defaultCollection()]
    try await Replicator(ReplicatorConfiguration(collections: own, target: DatabaseEndpoint(office))).run()
    print("office \(try await office.documentCount()), laptop \(try await laptop.documentCount())")

    // Over the network: the listener makes a certificate, which the client pins.
    var listening = ListenerConfiguration(collections: [try office.defaultCollection()], databaseName: "office")
    listening.networkInterface = "127.0.0.1"
    listening.passwordCheck = { user, password in
        user == "ana" && password.duplicate().isEqual(to: SecretBytes(copying: "open sesame"))
    }
    let listener = ReplicationListener(listening)
    try await listener.start()
    try await laptop.save(document: MutableDocument(id: "c").setString("later", forKey: "text"))
    guard let url = listener.urls.first else { throw Failure() }
    var syncing = ReplicatorConfiguration(collections: own, target: try EndpointURL(url))
    syncing.trust = .pinned(listener.pins)
    syncing.authenticator = BasicAuthenticator(username: "ana", password: SecretBytes(copying: "open sesame"))
    try await Replicator(syncing).run()
    await listener.stop()
    print("office \(try await office.documentCount()), laptop \(try await laptop.documentCount())")
}

try await run()
