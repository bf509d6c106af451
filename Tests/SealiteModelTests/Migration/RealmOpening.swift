import SealiteDatabase
import SealiteValues

@testable import SealiteModel

/// A case of the kind `open`.
struct RealmOpening {
    private let members: MongoDocument
    private let stage: MigrationStage

    init(_ one: ModelCases.Case) throws {
        members = one.members
        stage = try MigrationStage()
    }

    func difference() throws -> String? {
        try prepare()
        let calls = Box<[UInt64]>([])
        var function: ModelConfiguration.MigrationFunction?
        let isLocal = members.text("mode") ?? "local" == "local"
        if members["block"] == true || isLocal && members["block"] != false {
            function = { migration in
                let version = migration.oldVersion
                calls.change { $0.append(version) }
            }
        }
        let before = try stage.storedVersion()
        do {
            try stage.open(try schema("schema"), settings, function)
            if let error = members.text("error") { return "\(error) is due" }
        } catch let error as SchemaError {
            guard error.caseName == members.text("error") else { return "fails: \(error)" }
            if let text = members.text("text"), !error.description.contains(text) { return "the text is \(error)" }
            if try stage.storedVersion() != before { return "the version changed" }
        }
        return try differenceOfCalls(calls.value) ?? differenceOfContent()
    }

    private func schema(_ name: String) throws -> Schema {
        RealmSchema.schema(members.documents(name)) ?? Schema()
    }

    private var settings: MigrationStage.Settings {
        var settings = MigrationStage.Settings(version: number("version") ?? 0, resets: members.flag("reset"))
        switch members.text("mode") {
        case "synced": settings.mode = .synced
        case "readOnly": settings.mode = .readOnly
        default: break
        }
        return settings
    }

    private func number(_ name: String) -> UInt64? {
        switch members[name] {
        case .int32(let number)?: UInt64(number)
        case .int64(let number)?: UInt64(number)
        default: nil
        }
    }

    private func prepare() throws {
        guard let version = number("stored") else { return }
        try stage.open(try schema("storedSchema"), version: version)
        for (name, documents) in documents("documents") { try stage.put(documents, in: name) }
    }

    private func documents(_ name: String) -> [(String, [MongoDocument])] {
        (members.document(name) ?? [:]).map { ($0.key, (members.document(name) ?? [:]).documents($0.key)) }
    }

    private func differenceOfCalls(_ calls: [UInt64]) -> String? {
        if let isCalled = members["blockCalled"], calls.count != (isCalled == true ? 1 : 0) {
            return "the function is called \(calls.count) times"
        }
        if let version = number("oldVersion"), calls != [version] { return "the old versions are \(calls)" }
        return nil
    }

    private func differenceOfContent() throws -> String? {
        if let version = number("storedAfter"), try stage.storedVersion() != version {
            return "another version is stored"
        }
        for (name, documents) in documents("after") {
            let found = try stage.documents(name)
            if !found.isSame(as: documents) { return "the documents are \(found)" }
        }
        guard let created = members.document("create"), let expected = members.document("storedBody") else {
            return nil
        }
        let stored = try stored(created, as: try schema("schema").objects[0])
        return [stored].isSame(as: [expected]) ? nil : "the new object is \(stored)"
    }

    /// A new object as it is stored when it is saved with the declared type.
    private func stored(_ object: MongoDocument, as declared: ObjectSchema) throws -> MongoDocument {
        guard let stored = try SchemaCatalogue(stage.database).storedSchema(declared.name) else { return [:] }
        var filled = object
        for property in stored.object.removed where filled[property.name] == nil && property.isRequired {
            filled[property.name] = property.initialValue
        }
        for property in stored.object.removed where property.type.isCollection {
            filled[property.name] = property.type.emptyValue
        }
        return filled
    }
}

extension [MongoDocument] {
    /// Returns whether there are the same documents, in any order of documents and members.
    func isSame(as others: [MongoDocument]) -> Bool {
        let sorted = { (documents: [MongoDocument]) in
            documents.map { MongoDocument($0.members.sorted { $0.key < $1.key }) }
                .sorted { BSON.document($0).extendedJSON() < BSON.document($1).extendedJSON() }
        }
        return sorted(self) == sorted(others)
    }
}
