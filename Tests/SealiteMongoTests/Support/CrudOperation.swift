import SealiteValues

@testable import SealiteMongo

/// An operation of the drivers' unified test format.
struct CrudOperation {
    private let name: String
    private let arguments: MongoDocument
    private let operation: MongoDocument

    init(_ operation: MongoDocument) {
        name = operation["name"]?.asString ?? ""
        arguments = operation["arguments"]?.asDocument ?? [:]
        self.operation = operation
    }

    /// The way in which the operation ends differently from what it expects; nil where it ends as expected.
    func difference(on collection: MongoCollection<MongoDocument>) async -> String? {
        do {
            let result = try await run(collection)
            if operation["expectError"] != nil { return "\(name) is accepted" }
            guard let expected = operation["expectResult"] else { return nil }
            if name != "aggregate", name != "find", UnifiedResult.matches(result, expected) { return nil }
            if UnifiedResult.matches(result, expected) { return nil }
            return "\(name) gives \(result), not \(expected)"
        } catch {
            return operation["expectError"] != nil ? nil : "\(name) fails: \(error)"
        }
    }

    private var filter: MongoDocument { arguments["filter"]?.asDocument ?? [:] }
    private var variables: MongoDocument { arguments["let"]?.asDocument ?? [:] }

    private func run(_ collection: MongoCollection<MongoDocument>) async throws -> BSON {
        switch name {
        case "find":
            let found = try await collection.find(filter, options: FindOptions(let: variables)).toArray()
            return .array(found.map(BSON.document))
        case "aggregate":
            let stages = (arguments["pipeline"]?.asArray ?? []).compactMap(\.asDocument)
            let found = try await collection.aggregate(stages, options: AggregateOptions(let: variables)).toArray()
            return .array(found.map(BSON.document))
        case "insertOne":
            let result = try await collection.insertOne(arguments["document"]?.asDocument ?? [:])
            return ["insertedId": result.insertedID]
        case "insertMany":
            let documents = (arguments["documents"]?.asArray ?? []).compactMap(\.asDocument)
            let result = try await collection.insertMany(documents)
            return ["insertedIds": Self.byPlace(result.insertedIDs)]
        case "deleteOne":
            let options = DeleteOptions(let: variables)
            return ["deletedCount": BSON(try await collection.deleteOne(filter, options: options).deletedCount)]
        case "deleteMany":
            let options = DeleteOptions(let: variables)
            return ["deletedCount": BSON(try await collection.deleteMany(filter, options: options).deletedCount)]
        case "updateOne", "updateMany", "replaceOne": return try await update(collection)
        case "findOneAndUpdate", "findOneAndReplace", "findOneAndDelete": return try await findAndModify(collection)
        case "bulkWrite": return try await bulkWrite(collection)
        default: throw MongoError.badValue("unknown operation \(name)")
        }
    }

    private func update(_ collection: MongoCollection<MongoDocument>) async throws -> BSON {
        let options = Self.options(arguments)
        let result: UpdateResult
        switch (name, arguments["update"] ?? arguments["replacement"]) {
        case ("replaceOne", .document(let replacement)?):
            result = try await collection.replaceOne(filter, replacement, options: options)
        case ("updateOne", .document(let update)?):
            result = try await collection.updateOne(filter, update, options: options)
        case ("updateMany", .document(let update)?):
            result = try await collection.updateMany(filter, update, options: options)
        case ("updateOne", .array(let stages)?):
            result = try await collection.updateOne(
                filter, pipeline: stages.compactMap(\.asDocument), options: options)
        case (_, .array(let stages)?):
            result = try await collection.updateMany(
                filter, pipeline: stages.compactMap(\.asDocument), options: options)
        default: throw MongoError.badValue("no update")
        }
        return [
            "matchedCount": BSON(result.matchedCount), "modifiedCount": BSON(result.modifiedCount),
            "upsertedCount": BSON(result.upsertedCount),
        ]
    }

    private func findAndModify(_ collection: MongoCollection<MongoDocument>) async throws -> BSON {
        let options = FindOneAndUpdateOptions(let: variables)
        let value: MongoDocument?
        switch arguments["update"] ?? arguments["replacement"] {
        case .document(let update)? where name == "findOneAndUpdate":
            value = try await collection.findOneAndUpdate(filter, update, options: options)
        case .document(let replacement)?:
            value = try await collection.findOneAndReplace(filter, replacement, options: options)
        case .array(let stages)?:
            let stages = stages.compactMap(\.asDocument)
            value = try await collection.findOneAndUpdate(filter, pipeline: stages, options: options)
        default: value = try await collection.findOneAndDelete(filter, options: FindOneAndDeleteOptions(let: variables))
        }
        return value.map { .document($0) } ?? .null
    }

    private func bulkWrite(_ collection: MongoCollection<MongoDocument>) async throws -> BSON {
        let models = try (arguments["requests"]?.asArray ?? []).map { try Self.model($0.asDocument ?? [:]) }
        let result = try await collection.bulkWrite(models)
        return [
            "deletedCount": BSON(result.deletedCount), "insertedCount": BSON(result.insertedCount),
            "insertedIds": Self.byPlace(result.insertedIDs), "matchedCount": BSON(result.matchedCount),
            "modifiedCount": BSON(result.modifiedCount), "upsertedCount": BSON(result.upsertedCount),
            "upsertedIds": Self.byPlace(result.upsertedIDs),
        ]
    }

    private static func model(_ request: MongoDocument) throws -> WriteModel<MongoDocument> {
        let arguments = request.members.first?.value.asDocument ?? [:]
        let filter = arguments["filter"]?.asDocument ?? [:]
        let options = options(arguments)
        switch (request.keys.first, arguments["update"] ?? arguments["replacement"] ?? arguments["document"]) {
        case ("insertOne", .document(let document)?): return .insertOne(document)
        case ("replaceOne", .document(let document)?):
            return .replaceOne(filter: filter, replacement: document, options: options)
        case ("updateOne", .document(let update)?): return .updateOne(filter: filter, update: update, options: options)
        case ("updateMany", .document(let update)?):
            return .updateMany(filter: filter, update: update, options: options)
        case ("updateOne", .array(let stages)?):
            return .updateOneByPipeline(filter: filter, stages.compactMap(\.asDocument), options: options)
        case ("updateMany", .array(let stages)?):
            return .updateManyByPipeline(filter: filter, stages.compactMap(\.asDocument), options: options)
        case ("deleteOne", _): return .deleteOne(filter)
        case ("deleteMany", _): return .deleteMany(filter)
        default: throw MongoError.badValue("unknown model")
        }
    }

    private static func options(_ arguments: MongoDocument) -> UpdateOptions {
        UpdateOptions(
            arrayFilters: (arguments["arrayFilters"]?.asArray ?? []).compactMap(\.asDocument),
            upsert: arguments["upsert"] == .bool(true), let: arguments["let"]?.asDocument ?? [:])
    }

    private static func byPlace(_ ids: [Int: BSON]) -> BSON {
        .document(MongoDocument(ids.sorted { $0.key < $1.key }.map { .init("\($0.key)", $0.value) }))
    }
}
