internal import SealiteValues

/// Reads JSON Schemas as object types. The nesting, the number of issues and the time for each member are bounded,
/// because schemas may be hostile.
struct JSONSchemaReader {
    /// The maximum nesting of schemas.
    static let maximumDepth = 100
    /// The maximum number of recorded issues.
    private static let maximumIssueCount = 1000

    private(set) var issues: [SchemaIssue] = []
    /// The object types in the order in which reading their schemas was finished; a type with documents of its own
    /// precedes the types that are embedded in it.
    private(set) var objects: [ObjectSchema] = []
    /// The indices in ``objects`` of the object types, by their names.
    private var places: [String: Int] = [:]
    /// The nesting depth of the schema that is being read.
    var depth = 0
    /// The names of the object types that are being read, from the root to the present position.
    var open: Set<String> = []
    /// The names from the schema of documents to the position that is being read, for the paths of issues.
    var path: [String] = []
    var relationships: RelationshipsReader
    /// The links that were read; they are checked when all types are known.
    var links: [ReadLink] = []
    /// The properties that are primary keys, by the names of the types with documents of their own.
    private var keyTypes: [String: Property] = [:]
    /// The title of the schema of documents that is being read; empty until the title is known.
    private(set) var root = ""
    private let relationshipFiles: [String: MongoDocument]
    private let collections: [String: String]

    init(relationships: [String: MongoDocument], collections: [String: String]) {
        (relationshipFiles, self.collections) = (relationships, collections)
        self.relationships = RelationshipsReader()
    }

    // MARK: - Roots

    /// Reads the schema of a type that has documents of its own.
    mutating func readRoot(_ document: MongoDocument) {
        let members = SchemaMembers(document)
        root = ""
        guard let title = checkedTitle(members), !title.isEmpty else {
            return issue(.missingTitle, "the schema of documents must have a 'title', which is the type's name")
        }
        root = title
        checkLength(title, isEmbedded: false)
        guard Self.isObject(members) else {
            return issue(.rootNotObject, "the schema of documents must have the type 'object', or 'properties'")
        }
        let isKnown = places[title] != nil
        if isKnown {
            issue(.duplicateTitle, at: ["title"], "another schema, or an embedded type, has the title '\(title)'")
        }
        readRelationships(title)
        let index = objects.count
        open = [title]
        noteUnsupported(members)
        let (object, keyType) = objectType(title, members, description: text(members[.description]), isEmbedded: false)
        reportUnused()
        guard !isKnown else { return }
        objects.insert(object, at: index)
        for place in index..<objects.count { places[objects[place].name] = place }
        keyTypes[title] = keyType
    }

    private static func isObject(_ members: SchemaMembers) -> Bool {
        switch members[.bsonType] ?? members[.type] {
        case .string(let name): name == "object"
        case nil: members[.properties] != nil
        default: false
        }
    }

    private mutating func readRelationships(_ title: String) {
        relationships = RelationshipsReader()
        guard let file = relationshipFiles[title] else { return }
        relationships = RelationshipsReader(file, collections: collections)
        for path in relationships.malformed {
            append(
                SchemaIssue(
                    .badRef, title: root, path: [path],
                    "a relationship must have a 'ref' of the form '#/relationship/SOURCE/DATABASE/COLLECTION' and a 'foreign_key'"
                ))
        }
    }

    private mutating func reportUnused() {
        for path in relationships.unused {
            append(
                SchemaIssue(
                    .badRef, title: root, path: [path],
                    "the path leads to no property, or 'is_list' doesn't fit the property's type"))
        }
    }

    // MARK: - Titles

    /// Returns the title of a schema; nil if there is none, and if it isn't a string, which is recorded as an issue.
    mutating func checkedTitle(_ members: SchemaMembers) -> String? {
        guard let value = members[.title] else { return nil }
        guard case .string(let title) = value else {
            invalid("title", "'title' must be a string")
            return nil
        }
        return title
    }

    /// Records an issue for a title that is too long. For an embedded type the issue is never an error, because the
    /// title is often made from the names on the path to the type.
    mutating func checkLength(_ title: String, isEmbedded: Bool) {
        guard title.utf8.count > ObjectSchema.maximumNameLength else { return }
        let hasManyCharacters = title.count > ObjectSchema.maximumNameLength
        issue(
            .titleTooLong, severity: hasManyCharacters && !isEmbedded ? .error : .warning, at: ["title"],
            "the title has more than \(ObjectSchema.maximumNameLength) \(hasManyCharacters ? "characters" : "bytes")")
    }

    // MARK: - Embedded types

    /// Returns the object type with a name; nil if none has been read.
    func object(_ name: String) -> ObjectSchema? { places[name].map { objects[$0] } }

    /// Adds an embedded type, which may occur in several positions if it is the same in all of them; otherwise an issue
    /// is recorded.
    mutating func add(_ object: ObjectSchema) {
        guard let place = places[object.name] else {
            places[object.name] = objects.count
            objects.append(object)
            return
        }
        var known = objects[place]
        var other = object
        (known.description, other.description) = (nil, nil)
        guard known == other, known.isEmbedded else {
            return issue(.nameClash, subject: object.name, "another, different type has the name '\(object.name)'")
        }
        if objects[place].description == nil { objects[place].description = object.description }
    }

    // MARK: - Links

    /// Records an issue for each link that isn't to the primary key of its target type, as far as the target types are
    /// known.
    mutating func checkLinks() {
        for link in links where places[link.target] != nil {
            let key = keyTypes[link.target]
            let isRight = key?.type.isStoredAs(link.key) ?? false
            guard !isRight || link.foreignKey.map({ $0 != key?.name }) ?? false else { continue }
            append(
                SchemaIssue(
                    .badRef, title: link.title, path: link.path, subject: link.target,
                    "'\(link.target)' must have documents of its own, and the link must be of the type and the name of its primary key"
                ))
        }
    }

    // MARK: - Issues

    /// Records an issue at the present position.
    mutating func issue(
        _ kind: SchemaIssue.Kind, severity: SchemaIssue.Severity = .error, at names: [String] = [],
        subject: String? = nil, _ reason: String
    ) {
        append(SchemaIssue(kind, severity: severity, title: root, path: path + names, subject: subject, reason))
    }

    /// Records an error about a keyword of the schema that is being read.
    mutating func invalid(_ keyword: String, subject: String? = nil, _ reason: String) {
        issue(.invalidKeyword, at: [keyword], subject: subject ?? keyword, reason)
    }

    /// Records an issue. After 1,000 issues only errors are recorded, and after 2,000 none.
    mutating func append(_ issue: SchemaIssue) {
        guard issues.count < Self.maximumIssueCount || issue.severity == .error else { return }
        guard issues.count < 2 * Self.maximumIssueCount else { return }
        issues.append(issue)
    }

    /// Returns the text of a description; nil if the value isn't a string.
    func text(_ value: BSON?) -> String? { if case .string(let text) = value { text } else { nil } }
}

/// A link property that was read, to be checked when all types are known.
struct ReadLink {
    let target: String
    let key: PropertyType
    let foreignKey: String?
    let title: String
    let path: [String]
}

/// A type that was read from a schema, with the parts of the schema that the type can't express.
struct ReadType {
    var type: PropertyType
    var constraints: MongoDocument = [:]
    /// A Boolean value that says whether the schema names null beside the type.
    var allowsNull = false
}

/// The position in a JSON Schema of a type that is being read.
struct TypePosition {
    /// The name for an embedded type whose schema has no title.
    let derivedName: String
    /// The names of the path from the document to the value, as the paths in App Services' file of relationships have
    /// them.
    var field: [String]
    /// A Boolean value that says whether the type is that of the values of a list, set or dictionary.
    var isNested: Bool
}
