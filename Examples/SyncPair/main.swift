// Two sealed databases that sync: first within the program, then over TLS with a password and a pinned certificate.
// Usage: SyncPair FOLDER KEYFILE. The first use makes the databases in the folder.

import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// Thrown where the arguments aren't as they have to be, or something isn't as it should.
struct Failure: Error, CustomStringConvertible {
    let description: String
}

func openDatabase(_ path: String, key: SecretFile) throws -> DocumentDatabase {
    DocumentDatabase.exists(at: path)
        ? try DocumentDatabase.open(path, key: .rawKey(try key.rawKey()))
        : try DocumentDatabase.create(path, slot: .rawKey(try key.rawKey()))
}

func run(_ arguments: [String]) async throws {
    guard arguments.count == 3 else { throw Failure(description: "usage: SyncPair FOLDER KEYFILE") }
    let key = SecretFile.path(arguments[2])
    let office = try openDatabase(arguments[1] + "/office.db", key: key)
    let laptop = try openDatabase(arguments[1] + "/laptop.db", key: key)
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
    guard let url = listener.urls.first else { throw Failure(description: "the listener has no address") }
    var syncing = ReplicatorConfiguration(collections: own, target: try EndpointURL(url))
    syncing.trust = .pinned(listener.pins)
    syncing.authenticator = BasicAuthenticator(username: "ana", password: SecretBytes(copying: "open sesame"))
    try await Replicator(syncing).run()
    await listener.stop()
    print("office \(try await office.documentCount()), laptop \(try await laptop.documentCount())")
}

do {
    try await run(CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
