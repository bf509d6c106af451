import SealiteValues
import Testing

@testable import SealiteModel

@Suite("the cases of the mapping to JSON Schema")
struct MappingCaseTests {
    private static let file = Result { try ModelCases("mapping") }

    @Test("types are those of the cases")
    func types() throws {
        try Self.file.get().run("type") { one in
            guard let schema = one["schema"] else { return "no schema" }
            let required: BSON = one.members.flag("required") ? ["_id", "p"] : ["_id"]
            let root: MongoDocument = [
                "title": "T", "bsonType": "object", "required": required,
                "properties": ["_id": ["bsonType": "objectId"], "p": schema],
            ]
            let (read, issues) = Schema.reading(jsonSchema: [root])
            if let problem = Self.difference(issues, one.members) { return problem }
            let isRefused = issues.contains { $0.severity == .error }
            let type = isRefused ? nil : read["T"]?["p"]?.swiftType { $0 }
            return type == one.members.text("swift") ? nil : "the type is \(type ?? "refused")"
        }
    }

    @Test("models are those of the cases")
    func models() throws {
        try Self.file.get().run("model") { one in
            guard let root = one.members.document("schema"), let title = root.text("title") else { return "no schema" }
            let (schema, issues) = Schema.reading(
                jsonSchema: [root], relationships: [title: one.members.document("relationships") ?? [:]],
                collections: Self.collections(one.members))
            if let problem = Self.difference(issues, one.members) { return problem }
            if let problem = Self.difference(schema[title], one.members.array("properties")) { return problem }
            for embedded in one.members.document("embedded") ?? [:] {
                guard case .array(let properties) = embedded.value else { return "no properties" }
                if let problem = Self.difference(schema[embedded.key], properties) { return problem }
            }
            return nil
        }
    }

    private static func collections(_ members: MongoDocument) -> [String: String] {
        var names: [String: String] = [:]
        for member in members.document("collections") ?? [:] {
            if case .string(let type) = member.value { names[member.key] = type }
        }
        return names
    }

    /// Says how the properties of a type differ from a case's, which have the form `[name, type and default, "primaryKey"]`.
    private static func difference(_ object: ObjectSchema?, _ expected: [BSON]?) -> String? {
        guard let object else { return "the type isn't there" }
        let found = object.properties.map { property in
            let value = property.defaultValue.map { " = \(SwiftLiteral.bson($0))" } ?? ""
            let key: [BSON] = object.primaryKey == property.name ? ["primaryKey"] : []
            return BSON.array([.string(property.name), .string(property.swiftType { $0 } + value)] + key)
        }
        return found == expected ? nil : "the properties are \(found)"
    }

    @Test("issues are those of the cases")
    func issues() throws {
        try Self.file.get().run("issue") { one in
            if let text = one.members.text("text") {
                do throws(SchemaIssues) {
                    _ = try Schema.document(ofText: Array(text.utf8))
                    return "the text is taken"
                } catch {
                    return Self.difference(error.issues, one.members)
                }
            }
            var sources: [String: [MongoDocument]] = [:]
            for entry in one.members.documents("schemas") {
                sources[entry.text("source") ?? "", default: []].append(entry.document("schema") ?? [:])
            }
            if let schema = one.members.document("schema") { sources[""] = [schema] }
            var files: [String: MongoDocument] = [:]
            if let file = one.members.document("relationships"),
                let title = one.members.document("schema")?.text("title")
            {
                files[title] = file
            }
            let issues = sources.values.flatMap { Schema.reading(jsonSchema: $0, relationships: files).issues }
            return Self.difference(issues, one.members)
        }
    }

    private static func difference(_ issues: [SchemaIssue], _ members: MongoDocument) -> String? {
        issues.map(\.kind.rawValue) == members.texts("issues") ? nil : "the issues are \(issues)"
    }

    @Test("changes have the effects of the cases")
    func changes() throws {
        try Self.file.get().run("change") { one in
            let old = try Schema(jsonSchema: one.members.documents("old"))
            let new = try Schema(jsonSchema: one.members.documents("new"))
            let renames = Self.renames(one.members.document("hint") ?? [:], in: old)
            let differences = Schema.compare(old, new, renames: renames)
            let isRight =
                differences.server.rawValue == one.members.text("server")
                && differences.client.rawValue == one.members.text("client")
            return isRight ? nil : "the differences are \(differences)"
        }
    }

    /// The renames that a case tells: of types by their old names, of properties by theirs, with the type in front or of the only type.
    private static func renames(_ hint: MongoDocument, in old: Schema) -> SchemaRenames {
        var renames = SchemaRenames()
        for (key, names) in hint.map({ ($0.key, hint.document($0.key) ?? [:]) }) {
            for name in names.keys {
                guard let new = names.text(name) else { continue }
                let parts = name.split(separator: ".").map(String.init)
                if key == "renamedType" {
                    renames.types[name] = new
                } else if let property = parts.last, let type = parts.count > 1 ? parts[0] : old.objects.first?.name {
                    renames.properties[type, default: [:]][property] = new
                }
            }
        }
        return renames
    }

    @Test("names in Swift are those of the cases")
    func names() throws {
        try Self.file.get().run("name") { one in
            guard let title = one.members.text("title") else {
                let titles = one.members.texts("titles")
                do throws(SchemaIssues) {
                    _ = try SwiftWriter(Schema(titles.map { ObjectSchema($0, properties: []) }))
                    return "the names are taken"
                } catch {
                    let isAboutBoth = error.issues.allSatisfy { issue in titles.allSatisfy(issue.reason.contains) }
                    return isAboutBoth ? Self.difference(error.issues, one.members) : "\(error)"
                }
            }
            let name = SwiftName.type(title)
            return name == one.members.text("swift") ? nil : "the name is \(name)"
        }
    }

    @Test("samples give the schemas of the cases")
    func samples() throws {
        try Self.file.get().run("sample") { one in
            var sampler = SchemaSampler(title: "T")
            for document in one.members.documents("documents") { sampler.add(document) }
            let schema = sampler.schema
            guard let object = schema["T"] else { return "no type" }
            let required = object.properties.filter(\.isRequired).map(\.name)
            guard required == one.members.texts("required") else { return "required are \(required)" }
            let properties = Self.types(of: object, schema)
            return properties == one.members.document("properties") ? nil : "the properties are \(properties)"
        }
    }

    /// The properties as cases have them: the names of types, and objects for embedded ones.
    private static func types(of object: ObjectSchema, _ schema: Schema) -> MongoDocument {
        var types = MongoDocument()
        for property in object.properties {
            switch property.type {
            case .embedded(let name): types[property.name] = schema[name].map { .document(Self.types(of: $0, schema)) }
            case .array(let item): types[property.name] = .string("array<\(item.bsonTypeName)>")
            default: types[property.name] = .string(property.type.bsonTypeName)
            }
        }
        return types
    }

    @Test("development mode finds and makes the collections of the cases")
    func lookups() throws {
        try Self.file.get().run("lookup") { one in
            guard let type = one.members.text("type"), let scope = one.members.text("developmentDatabase"),
                let expected = one.members.document("result")
            else { return "no type" }
            let entries = one.members.documents("collections").map { entry in
                CollectionLookup.Entry(
                    scope: entry.text("database") ?? "", collection: entry.text("collection") ?? "",
                    title: entry.text("title"))
            }
            let found: MongoDocument =
                switch CollectionLookup(type: type, developmentScope: scope, among: entries) {
                case .known(let scope, let name):
                    ["database": .string(scope), "collection": .string(name), "created": false]
                case .missing(let scope, let name):
                    ["database": .string(scope), "collection": .string(name), "created": true, "title": .string(type)]
                case .taken: ["issue": "nameClash"]
                }
            return found == expected ? nil : "it is \(found)"
        }
    }
}
