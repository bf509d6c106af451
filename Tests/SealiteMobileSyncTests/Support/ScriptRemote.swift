import SealiteDatabase
import SealiteMongo
import SealiteValues

@testable import SealiteMobileSync

/// The remote of a script: what happens there, and what it has.
protocol ScriptRemote: Sendable {
    func remote() async throws -> MobileSyncRemote
    func stop() async
    /// Refuses all documents from now on, or takes them again.
    func refuseWrites(_ refuses: Bool) async throws
    func insert(_ document: MongoDocument) async throws
    func update(_ filter: MongoDocument, _ update: MongoDocument) async throws
    func replace(_ filter: MongoDocument, _ document: MongoDocument) async throws
    func delete(_ filter: MongoDocument) async throws
    /// The documents by their ids.
    func all() async throws -> [String: MongoDocument]
    /// The generation of a document's current revision; nil where there is none.
    func generation(of key: String) async throws -> Int?
}

extension MobileServer: ScriptRemote {
    nonisolated func insert(_ document: MongoDocument) async throws { try await documents.insertOne(document) }

    nonisolated func update(_ filter: MongoDocument, _ update: MongoDocument) async throws {
        try await documents.updateOne(filter, update)
    }

    nonisolated func replace(_ filter: MongoDocument, _ document: MongoDocument) async throws {
        try await documents.replaceOne(filter, document)
    }

    nonisolated func delete(_ filter: MongoDocument) async throws { try await documents.deleteOne(filter) }

    nonisolated func generation(of key: String) async throws -> Int? {
        try await documents.collection.revisions(id: key).first.map { Int($0.id.generation) }
    }
}

extension ScriptedGateway: ScriptRemote {
    func refuseWrites(_ refuses: Bool) {
        let refusal: @Sendable (String) -> String? = { _ in refuses ? "sg missing channel access" : nil }
        change { $0.refusal = refusal }
    }

    private func write(_ document: MongoDocument, _ id: BSON) throws {
        var members = document
        members["_id"] = nil
        let (key, json) = (try DocumentKey.text(of: id), BSON.document(members).extendedJSON(.relaxed))
        change { $0.write(key, json) }
    }

    func insert(_ document: MongoDocument) throws { try write(document, document["_id"] ?? .null) }

    /// Does `$set` and `$inc` of members at the top, which is all that the scripts ask of the remote.
    func update(_ filter: MongoDocument, _ update: MongoDocument) throws {
        let id: BSON = filter["_id"] ?? .null
        guard var document = try all()["\(id)"] else { return }
        for member in update["$set"]?.asDocument ?? [:] { document[member.key] = member.value }
        for member in update["$inc"]?.asDocument ?? [:] where !member.key.contains(".") {
            let sum = (document[member.key]?.asInt ?? 0) + (member.value.asInt ?? 0)
            document[member.key] = .int32(Int32(sum))
        }
        try write(document, id)
    }

    func replace(_ filter: MongoDocument, _ document: MongoDocument) throws {
        try write(document, filter["_id"] ?? .null)
    }

    func delete(_ filter: MongoDocument) throws {
        let key = try DocumentKey.text(of: filter["_id"] ?? .null)
        change { $0.write(key, nil) }
    }

    func generation(of key: String) -> Int? {
        read { $0.documents[key]?.revisions.first.flatMap { Int($0.prefix { $0 != "-" }) } }
    }
}
