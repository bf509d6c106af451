import Foundation
import SealiteDatabase
import SealiteMongo
import SealiteValues
import Testing

@testable import SealiteMobileSync

/// A script of Fixtures/Mongo/stitch-sync.json.
struct SyncScript: Sendable, CustomStringConvertible {
    let id: String
    let name: String
    let steps: [MongoDocument]

    var description: String { "\(id) \(name)" }

    static let all: [SyncScript] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Mongo/stitch-sync.json")
        guard let text = try? String(contentsOf: folder, encoding: .utf8),
            let file = try? MongoDocument(extendedJSON: text)
        else { return [] }
        var scripts: [SyncScript] = []
        for one in (file["cases"]?.asArray ?? []).compactMap(\.asDocument) {
            let steps: [MongoDocument] = (one["steps"]?.asArray ?? []).compactMap(\.asDocument)
            scripts.append(
                SyncScript(id: one["id"]?.asString ?? "", name: one["name"]?.asString ?? "", steps: steps))
        }
        return scripts
    }()

    /// The scripts that need nothing of the remote but to be synced with, in passes.
    static let anyRemote: [SyncScript] = all.filter { script in
        let acts = Set(script.steps.compactMap { $0["do"]?.asString })
        return acts.contains("pass") && !acts.contains("decide")
    }

    /// Expectations in whose place that of a later step holds, by script and step: a resolution is at the remote at the end of the pass that made it, where Stitch
    /// needs a second one.
    static let earlier: [String: Int] = ["sync-014/8": 10]
}

/// Runs a script: a client that syncs in passes with a listener.
final class SyncScriptRun {
    private let script: SyncScript
    private let server: any ScriptRemote
    private let folder: TestFolder
    private var client: MobileClient
    private var errorCount = 0
    private var isRead = false

    init(_ script: SyncScript, _ server: any ScriptRemote) async throws {
        self.script = script
        (self.server, folder) = (server, try TestFolder())
        client = try MobileClient(folder)
        try await connect()
    }

    private func connect() async throws {
        await client.mobile.setFrequency(.onDemand)
        await client.mobile.connect(to: try await server.remote())
    }

    func run() async throws {
        for (index, step) in script.steps.enumerated() {
            do {
                if let action = step["do"]?.asString {
                    try await perform(action, step)
                } else if let what = step["expect"]?.asString {
                    let expected = SyncScript.earlier["\(script.id)/\(index)"].map { script.steps[$0] } ?? step
                    try await check(what, expected, "\(script.id), step \(index): \(what)")
                }
            } catch {
                Issue.record("\(script.id), step \(index): \(error)")
            }
        }
        try await client.close()
        await server.stop()
    }

    // MARK: - Acting

    private func perform(_ action: String, _ step: MongoDocument) async throws {
        let (filter, document) = (step["filter"]?.asDocument ?? [:], step["document"]?.asDocument ?? [:])
        let (update, ids) = (step["update"]?.asDocument ?? [:], step["ids"]?.asArray ?? [])
        switch action {
        case "configure": try await client.configure(handler(step["conflictHandler"] ?? .null))
        case "insertOne": try await client.sync.insertOne(document)
        case "insertMany":
            try await client.sync.insertMany((step["documents"]?.asArray ?? []).compactMap(\.asDocument))
        case "updateOne": try await client.sync.updateOne(filter, update)
        case "deleteOne":
            let result = try await client.sync.deleteOne(filter)
            if let count = step["deletedCount"]?.asInt { #expect(result.deletedCount == count) }
        case "sync": try await client.sync.syncMany(ids)
        case "desync": try await client.sync.desyncMany(ids)
        case "resumeSync":
            let found: BSON = .bool(try await client.sync.resumeSync(forDocumentID: step["id"] ?? .null))
            #expect(found == step["returns"], "\(script.id)")
        case "pass": try await pass()
        case "offline": await client.mobile.setOnline(false)
        case "online": await client.mobile.setOnline(true)
        case "clearEvents":
            try await client.settle()
            _ = client.told.takeEvents()
        case "remote.insertOne": try await server.insert(document)
        case "remote.updateOne": try await server.update(filter, update)
        case "remote.replaceOne": try await server.replace(filter, document)
        case "remote.deleteOne": try await server.delete(filter)
        case "remote.refuseWrites": try await server.refuseWrites(true)
        case "remote.acceptWrites": try await server.refuseWrites(false)
        case "reopenStream": break
        case "restart": try await reopen("client")
        case "switchUser": try await reopen(step["user"]?.asString == "a" ? "client" : "other")
        case "crashDuring": try await crash(step)
        case "diff": diff(step)
        case "coalesce": coalesce(step)
        case "decide": try await decide(step)
        default: Issue.record("\(script.id): no such act: \(action)")
        }
    }

    private func handler(_ value: BSON) throws -> MobileClient.Handler {
        if let document = value.asDocument?["document"]?.asDocument {
            return { local, _ in
                var result = document
                result["_id"] = local.documentID
                return result
            }
        }
        switch value.asString {
        case "remoteWins": return { _, remote in remote.fullDocument }
        case "localWins": return { local, _ in local.fullDocument }
        case "delete": return { _, _ in nil }
        case "throwOnceThenRemote":
            let told = client.told
            return { _, remote in
                if told.conflicts.count == 1 { throw Refusal() }
                return remote.fullDocument
            }
        default:
            let id = script.id
            return { _, remote in
                Issue.record("\(id): there is a conflict")
                return remote.fullDocument
            }
        }
    }

    private struct Refusal: Error {}

    private func pass() async throws {
        try? await client.mobile.syncNow()
        try await client.settle()
    }

    private func reopen(_ name: String) async throws {
        try await client.close()
        client = try MobileClient(folder, name)
        try await connect()
    }

    /// Takes back a write whose document was changed already, as a kill in its transaction does.
    private func crash(_ step: MongoDocument) async throws {
        struct Crash: Error {}
        let client = client
        let body = step["document"]?.asDocument ?? step["update"]?.asDocument?["$set"]?.asDocument ?? [:]
        let key = try DocumentKey.text(of: body["_id"] ?? step["filter"]?.asDocument?["_id"] ?? .null)
        await #expect(throws: Crash.self) {
            try await client.database.writeSynced(client.collection.collection) { _ in
                let document = MutableDocument(id: key)
                document.setEncoded(try SyncedBody.stored(body, keeping: nil))
                try client.collection.collection.save(document: document)
                throw Crash()
            }
        }
    }

    // MARK: - Checking

    private func check(_ what: String, _ step: MongoDocument, _ place: String) async throws {
        switch what {
        case "local": expect(try await client.all(), are: step["documents"], place)
        case "remote": expect(try await server.all(), are: step["documents"], place)
        case "remoteCount":
            let count = try await server.all().count
            #expect(count == step["count"]?.asInt, "\(place)")
        case "syncedIds":
            let ids = try await client.sync.syncedIds
            let wanted: Set<BSON> = Set(step["ids"]?.asArray ?? [])
            #expect(ids == wanted, "\(place)")
        case "pausedIds":
            let ids = try await client.sync.pausedIds
            let wanted: Set<BSON> = Set(step["ids"]?.asArray ?? [])
            #expect(ids == wanted, "\(place)")
        case "events": try await checkEvents(step, place)
        case "errors": #expect(client.told.errors.count == step["count"]?.asInt, "\(place)")
        case "error": try await checkError(step, place)
        case "version":
            // There is no version in the document: the generation of its revision is one more.
            let id = try DocumentKey.text(of: step["id"] ?? .null)
            let version: Int? = try await server.generation(of: id).map { $0 - 1 }
            #expect(version == step["v"]?.asInt, "\(place)")
        case "consistent":
            let found = try await client.contradictions()
            #expect(found == [], "\(place)")
        case "oneOf":
            let there = try await client.all()
            let options: [[String: MongoDocument]] = (step["local"]?.asArray ?? []).map { Self.byID($0) }
            let isOne: Bool = options.contains(there)
            #expect(isOne, "\(place)")
        default: Issue.record("\(place): no such check")
        }
    }

    private static func byID(_ documents: BSON?) -> [String: MongoDocument] {
        var found: [String: MongoDocument] = [:]
        for document in (documents?.asArray ?? []).compactMap(\.asDocument) {
            let id: BSON = document["_id"] ?? .null
            found["\(id)"] = document
        }
        return found
    }

    private func expect(_ found: [String: MongoDocument], are documents: BSON?, _ place: String) {
        let expected = Self.byID(documents)
        let same: Bool = Self.sorted(found) == Self.sorted(expected)
        if !same { Issue.record("\(place): \(found), not \(expected)") }
    }

    private static func sorted(_ documents: [String: MongoDocument]) -> [String: BSON] {
        documents.mapValues { BSON.document($0).sorted }
    }

    private func checkEvents(_ step: MongoDocument, _ place: String) async throws {
        try await client.settle()
        let events: [ChangeEvent<MongoDocument>] = client.told.takeEvents()
        let expected: [MongoDocument] = (step["events"]?.asArray ?? []).compactMap(\.asDocument)
        var found: [String] = []
        for event in events { found.append("\(event.operationType.rawValue) \(event.hasUncommittedWrites)") }
        var wanted: [String] = []
        for event in expected {
            let isUncommitted: Bool = event["hasUncommittedWrites"] == BSON.bool(true)
            wanted.append("\(event["operationType"]?.asString ?? "") \(isUncommitted)")
        }
        let same: Bool = found == wanted
        if !same { Issue.record("\(place): \(found), not \(wanted)") }
        for (event, wanted) in zip(events, expected) { check(event, wanted, place) }
    }

    private func check(_ event: ChangeEvent<MongoDocument>, _ wanted: MongoDocument, _ place: String) {
        let description = event.updateDescription ?? UpdateDescription(updatedFields: [:], removedFields: [])
        if let updated = wanted["updatedFields"] {
            let same: Bool = BSON.document(description.updatedFields).sorted == updated.sorted
            if !same { Issue.record("\(place): updated \(description.updatedFields), not \(updated)") }
        }
        if let removed = wanted["removedFields"]?.asArray {
            let names: [String] = removed.compactMap(\.asString)
            if description.removedFields != names { Issue.record("\(place): removed \(description.removedFields)") }
        }
        if let full = wanted["fullDocument"]?.asDocument, event.fullDocument != full {
            Issue.record("\(place): another document")
        }
    }

    private func checkError(_ step: MongoDocument, _ place: String) async throws {
        try await client.settle()
        let told = client.told.errors.dropFirst(errorCount)
        errorCount += told.count
        let name: String = step["case"]?.asString ?? ""
        let wanted: String = name == "mongoDBError" ? "remoteRefused" : name
        let codes: [String] = told.map { $0.error.code.rawValue }
        #expect(codes == [wanted], "\(place)")
        let id: BSON? = told.first?.id
        #expect(id == step["id"], "\(place)")
    }

    // MARK: - Rules

    private func diff(_ step: MongoDocument) {
        let (old, new): (MongoDocument, MongoDocument) = (
            step["from"]?.asDocument ?? [:], step["to"]?.asDocument ?? [:]
        )
        let found = StitchVersion.difference(from: old, to: new)
        let updated: BSON = BSON.document(found.updatedFields).sorted
        #expect(updated == step["updatedFields"]?.sorted, "\(script)")
        let removed: [String] = (step["removedFields"]?.asArray ?? []).compactMap(\.asString)
        #expect(found.removedFields == removed, "\(script)")
    }

    private func coalesce(_ step: MongoDocument) {
        let kinds: [String: SyncOperation] = [
            "insert": .insert, "update": .update, "replace": .replace, "delete": .delete,
        ]
        func operation(_ value: BSON?) -> SyncOperation? { value?.asString.flatMap { kinds[$0] } }
        guard let new = operation(step["new"]) else { return }
        let result = SyncOperation.together(operation(step["pending"]), new)
        let wanted = operation(step["becomes"])
        #expect(result == wanted, "\(script)")
    }

    private func decide(_ step: MongoDocument) async throws {
        guard let server = server as? MobileServer else { return }
        let run = DecisionRun(client: client, server: server, pass: { try await self.pass() })
        let action = try await run.action(
            remote: step["remote"]?.asString ?? "", pending: step["pending"]?.asString,
            versions: step["versions"]?.asString ?? "", detail: step["detail"]?.asString ?? "")
        #expect(action == step["action"]?.asString, "\(script)")
    }
}

extension BSON {
    /// The value with the members of documents in the order of their names.
    var sorted: BSON {
        switch self {
        case .document(let document):
            var sorted = MongoDocument()
            for member in document.sorted(by: { $0.key < $1.key }) { sorted.append(member.key, member.value.sorted) }
            return .document(sorted)
        case .array(let items): return .array(items.map(\.sorted))
        default: return self
        }
    }

    var asString: String? { if case .string(let text) = self { text } else { nil } }
    var asDocument: MongoDocument? { if case .document(let document) = self { document } else { nil } }
    var asArray: [BSON]? { if case .array(let items) = self { items } else { nil } }
    var asInt: Int? {
        switch self {
        case .int32(let number): Int(number)
        case .int64(let number): Int(exactly: number)
        case .double(let number): Int(exactly: number)
        default: nil
        }
    }
}
