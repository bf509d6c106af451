import SealiteDatabase
import SealiteMongo
import SealiteValues

@testable import SealiteMobileSync

/// Brings about a row of the decision table, in which revisions take the place of versions, and says what was decided.
struct DecisionRun {
    let client: MobileClient
    let server: MobileServer
    let pass: () async throws -> Void

    func action(remote: String, pending: String?, versions: String, detail: String) async throws -> String {
        try await client.configure { local, _ in local.fullDocument }
        let isFirst = versions == "none/none" || versions == "some/none" || pending == "insert"
        if !isFirst {
            try await server.documents.insertOne(["_id": 1, "a": 1])
            try await client.sync.syncOne(1)
            try await pass()
        }
        _ = client.told.takeEvents()
        try await write(pending, isFirst)
        try await change(remote, versions, detail, isFirst)
        try await pass()
        return try await decision(pending)
    }

    private func write(_ pending: String?, _ isFirst: Bool) async throws {
        switch pending {
        case "insert": try await client.sync.insertOne(["_id": 1, "a": 2])
        case "update" where isFirst: try await client.sync.insertOne(["_id": 1, "a": 2])
        case "update": try await client.sync.updateOne(["_id": 1], ["$set": ["a": 2]])
        case "replace": try await client.sync.replaceOne(["_id": 1], ["_id": 1, "b": 2])
        case "delete": try await client.sync.deleteOne(["_id": 1])
        case "paused":
            let key = try DocumentKey.text(of: 1)
            try client.documents.pause(key, MobileSyncError(.resolutionError, "test").pause)
        default: break
        }
    }

    private func change(_ remote: String, _ versions: String, _ detail: String, _ isFirst: Bool) async throws {
        let documents = server.documents
        switch (remote, versions, detail) {
        case ("delete", _, _) where isFirst:
            try await documents.insertOne(["_id": 1, "a": 0])
            try await documents.deleteOne(["_id": 1])
        case ("delete", _, _), (_, "other id", "not found"): try await documents.deleteOne(["_id": 1])
        case (_, "none/none", "hash same"): try await documents.insertOne(["_id": 1, "a": 2])
        case (_, "none/none", _), (_, "some/none", _): try await documents.insertOne(["_id": 1, "a": 9])
        // The remote has what is known: the event is an echo.
        case (_, "same v", "hash same"), (_, "other id", "found with our id"): break
        case (_, "other id", _):
            try await documents.deleteOne(["_id": 1])
            try await documents.insertOne(["_id": 1, "a": 9])
        case (_, "spv 2", _):
            let version: MongoDocument = ["spv": 2, "id": "g", "v": 0]
            let members: MongoDocument = ["a": 9, "__stitch_sync_version": .document(version)]
            try await documents.updateOne(["_id": 1], ["$set": .document(members)])
        default: try await documents.updateOne(["_id": 1], ["$set": ["a": 9]])
        }
    }

    private func decision(_ pending: String?) async throws -> String {
        if let conflict = client.told.conflicts.first {
            // Deleted, made anew and resolved it has one revision more than changed and resolved.
            let server = server
            let key = try DocumentKey.text(of: 1)
            let count = try await server.database.read { try server.documents.collection.revisions(id: key).count }
            return count > 3 && conflict.remote.operationType == .replace ? "conflictWithReplace" : "conflict"
        }
        if client.told.errors.contains(where: { $0.error.code == .unsupportedProtocolVersion }) { return "desync" }
        if pending == "paused" {
            let here = try await client.sync.findOne(["_id": 1])
            return here?["a"] == BSON.int32(1) ? "ignore" : "apply"
        }
        if pending != nil { return "drop" }
        let events = client.told.takeEvents()
        if events.contains(where: { $0.operationType == .delete }) { return "deleteLocal" }
        return events.isEmpty ? "drop" : "apply"
    }
}
