import SealiteDatabase
import SealiteValues

@testable import SealiteModel

/// A case of the kinds `migrate` and `renameError`: its function is a list of actions.
struct RealmMigration {
    private struct Thrown: Error {}

    private let members: MongoDocument
    private let stage: MigrationStage
    private let old: Schema
    private let new: Schema

    init(_ one: ModelCases.Case) throws {
        members = one.members
        stage = try MigrationStage()
        old = RealmSchema.schema(members.documents("oldSchema")) ?? Schema()
        new = RealmSchema.schema(members.documents("newSchema")) ?? Schema()
    }

    func difference() throws -> String? {
        let versions = (
            old: number("oldVersion") ?? 1, new: number("newVersion") ?? number("oldVersion").map { $0 + 1 } ?? 2
        )
        try stage.open(old, version: versions.old)
        for (name, documents) in documents("documents") ?? [] { try stage.put(documents, in: name) }
        var actions = members.documents("block")
        if let rename = members["rename"] { actions.append(["rename": rename]) }
        let complaints = Box<[String]>([])
        var failure: String?
        do {
            try stage.open(new, version: versions.new) { [actions] migration in
                for action in actions {
                    if let complaint = try Self.run(action, &migration) { complaints.change { $0.append(complaint) } }
                }
            }
        } catch is Thrown {
            failure = "block"
        } catch let error as SchemaError {
            if case .rename(let text) = error { failure = text } else { failure = error.caseName }
        }
        if let complaint = complaints.value.first { return complaint }
        if failure != members.text("error") { return failure.map { "fails: \($0)" } ?? "an error is due" }
        let due = failure == nil ? versions.new : versions.old
        if try stage.storedVersion() != due { return "another version is stored" }
        let expected = failure == nil ? documents("after") : documents("documents")
        for (name, documents) in expected ?? [] {
            let found = try stage.documents(name)
            if !found.isSame(as: documents) { return "the documents are \(found)" }
        }
        return nil
    }

    private func number(_ name: String) -> UInt64? {
        if case .int32(let number)? = members[name] { UInt64(number) } else { nil }
    }

    /// Documents by the names of their types: those of the first type where no type is named.
    private func documents(_ name: String) -> [(String, [MongoDocument])]? {
        if let types = members.document(name) { return types.keys.map { ($0, types.documents($0)) } }
        guard members.array(name) != nil else { return nil }
        return [((old.objects + new.objects).first?.name ?? "", members.documents(name))]
    }

    // MARK: - Actions

    private static func run(_ action: MongoDocument, _ migration: inout Migration) throws -> String? {
        if case .int32(let version)? = action["ifOldVersionBelow"], migration.oldVersion >= version { return nil }
        if action.flag("throw") { throw Thrown() }
        if let name = action.text("enumerate") { return try enumerate(name, action, &migration) }
        if let name = action.text("deleteData") {
            try migration.deleteData(of: name)
        } else if case let names = action.texts("rename"), names.count == 3 {
            try migration.rename(names[0], names[1], to: names[2])
        } else if case .array(let parts)? = action["create"], case .string(let name)? = parts.first,
            case .document(let properties)? = parts.last
        {
            try migration.create(name, properties)
        } else {
            return "an unknown action \(action)"
        }
        return nil
    }

    private static func enumerate(_ name: String, _ action: MongoDocument, _ migration: inout Migration) throws
        -> String?
    {
        var (count, complaint): (Int32, String?) = (0, nil)
        try migration.enumerate(name) { old, new in
            count += 1
            if let name = action.text("readNew") { complaint = complaint ?? differenceOfReading(name, new, action) }
            if let name = action.text("readOld") { complaint = complaint ?? differenceOfReading(name, old, action) }
            for member in action.document("set") ?? [:] {
                guard case .array(let parts) = member.value else { continue }
                let type = new?.objectSchema[member.key]?.type
                try new?.set(member.key, try value(parts, old, type))
            }
            if let condition = action.document("deleteWhere"), let object = new,
                try condition.allSatisfy({ try object[$0.key] == $0.value })
            {
                new = nil
            }
        }
        if case .int32(let expected)? = action["count"], expected != count { return "\(count) objects are enumerated" }
        return complaint
    }

    private static func differenceOfReading(
        _ name: String, _ object: MigrationObject?, _ action: MongoDocument
    ) -> String? {
        do {
            _ = try object?[name]
            return action["error"] == nil ? nil : "\(name) can be read"
        } catch {
            return error.description.contains(action.text("error") ?? "-") ? nil : "reading fails: \(error)"
        }
    }

    /// The value that parts make: one value, or the texts of several.
    private static func value(_ parts: [BSON], _ old: MigrationObject?, _ type: PropertyType?) throws -> BSON {
        let values = try parts.map { try value($0, old) }
        if values.count == 1, type != .string { return values[0] }
        return .string(
            values.map { if case .string(let text) = $0 { text } else { $0.extendedJSON() } }.joined())
    }

    /// The value of a part: a literal, a property of the old object, perhaps with another literal in the place of null.
    private static func value(_ part: BSON, _ old: MigrationObject?) throws -> BSON {
        guard case .string(let text) = part, text.hasPrefix("old.") else { return part }
        let words = text.dropFirst(4).split(separator: " ")
        let value = try old?[String(words[0])] ?? .null
        guard value == .null, words.count == 3 else { return value }
        return try BSON(extendedJSON: String(words[2]))
    }
}
