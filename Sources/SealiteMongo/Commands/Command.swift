internal import SealiteValues

/// A command on one collection, in the form of MongoDB's wire protocol.
struct Command: Sendable {
    /// A function that runs a command on a collection's documents and returns the command's reply.
    private enum Function: Sendable {
        /// The function of a command that only reads documents.
        case reading(@Sendable (MongoDocument, any DocumentSource) throws -> MongoDocument)
        /// The function of a command that may change documents.
        case writing(@Sendable (MongoDocument, any DocumentStore) throws -> MongoDocument)
    }

    /// The functions of all commands, by the commands' names.
    private static let all: [String: Function] = [
        "find": .reading(ReadCommands.find),
        "count": .reading(ReadCommands.count),
        "distinct": .reading(ReadCommands.distinct),
        "insert": .writing(WriteCommands.insert),
        "update": .writing(WriteCommands.update),
        "delete": .writing(WriteCommands.delete),
        "findAndModify": .writing(FindAndModifyCommand.run),
        "findandmodify": .writing(FindAndModifyCommand.run),
    ]

    /// The members that every command may have. All except `let`, which has the variables of expressions, have no
    /// effect.
    static let commonNames: Set<String> = [
        "$db", "lsid", "comment", "maxTimeMS", "readConcern", "writeConcern", "hint", "let",
    ]

    /// The name of the collection that the command is on.
    let collection: String
    private let function: Function
    private let document: MongoDocument

    /// Creates the command of a document, whose first member has the command's name and the collection's name as its
    /// value.
    init(_ document: MongoDocument) throws {
        guard let name = document.members.first, let function = Self.all[name.key] else {
            throw MongoError(code: 59, "There is no command '\(document.keys.first ?? "")'.")
        }
        let collection = try requireString(name.value, 73, "The name of the collection must be a string")
        (self.collection, self.function, self.document) = (collection, function, document)
    }

    /// Runs the command on the documents of its collection and returns its reply, with `ok` as the last member.
    func run(_ store: any DocumentStore) throws -> MongoDocument {
        switch function {
        case .reading(let function): Self.completed(try function(document, store))
        case .writing(let function): Self.completed(try function(document, store))
        }
    }

    /// The function that runs the command as `run(_:)` does; nil for a command that may change documents.
    var reading: (@Sendable (any DocumentSource) throws -> MongoDocument)? {
        guard case .reading(let function) = function else { return nil }
        return { [document] source in Self.completed(try function(document, source)) }
    }

    private static func completed(_ reply: MongoDocument) -> MongoDocument {
        var reply = reply
        reply.append("ok", .double(1))
        return reply
    }
}

/// The commands that only read documents: `find`, `count` and `distinct`.
enum ReadCommands {
    @Sendable
    static func find(_ command: MongoDocument, _ source: any DocumentSource) throws -> MongoDocument {
        let names: Set<String> = ["find", "filter", "projection", "sort", "skip", "limit", "batchSize", "singleBatch"]
        let fields = try CommandFields(command, at: "find", names.union(Command.commonNames))
        // A negative number is the number of documents of a single batch; 0 means no limit.
        let limit = try fields.integer("limit").flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        try require(
            fields["hint"] == nil || fields.document("filter")["$text"] == nil, .badValue("A hint can't go with $text.")
        )
        let statement = try FindStatement(
            filter: fields.document("filter"), sort: fields.document("sort"), skip: fields.count("skip") ?? 0,
            limit: limit, projection: fields.document("projection"), context: fields.context())
        var documents: [BSON] = []
        try statement.run(source) { document in
            documents.append(.document(document))
            return true
        }
        return ["cursor": ["firstBatch": .array(documents), "id": .int64(0)]]
    }

    @Sendable
    static func count(_ command: MongoDocument, _ source: any DocumentSource) throws -> MongoDocument {
        let names: Set<String> = ["count", "query", "skip", "limit"]
        let fields = try CommandFields(command, at: "count", names.union(Command.commonNames))
        let skip = try fields.count("skip") ?? 0
        let limit = try fields.integer("limit").flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        let filter = try Filter(parsing: fields.document("query"), context: fields.context())
        let count = try source.count(filter, limit: FindStatement.Window(skip: skip, limit: limit).end)
        return ["n": BSON(max(count - skip, 0))]
    }

    @Sendable
    static func distinct(_ command: MongoDocument, _ source: any DocumentSource) throws -> MongoDocument {
        let names: Set<String> = ["distinct", "key", "query"]
        let fields = try CommandFields(command, at: "distinct", names.union(Command.commonNames), required: ["key"])
        let statement = try DistinctStatement(
            fields.string("key"), filter: fields.document("query"), context: fields.context())
        return ["values": .array(try statement.run(source))]
    }
}

/// The members of a command, or of an object within it, accessed by name and type.
struct CommandFields {
    private let members: MongoDocument
    /// The path from the command to the object whose members these are, for error messages.
    private let path: String

    /// Creates the members of a document; throws for a member whose name isn't in `names`, and if one of `required` is
    /// missing.
    init(_ members: MongoDocument, at path: String, _ names: Set<String>, required: [String] = []) throws(MongoError) {
        if let unknown = members.keys.first(where: { !names.contains($0) }) {
            throw MongoError(code: 40415, "The command has no field '\(path).\(unknown)'.")
        }
        if let missing = required.first(where: { members[$0] == nil }) {
            throw MongoError(code: 40414, "The command needs the field '\(path).\(missing)'.")
        }
        (self.members, self.path) = (members, path)
    }

    /// The member with a name; nil if it is missing or null.
    subscript(name: String) -> BSON? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    /// Returns the member with a name, which must be a document; an empty one if it is missing or null.
    func document(_ name: String) throws(MongoError) -> MongoDocument {
        try member(name, "object") { $0.members } ?? [:]
    }

    /// Returns the items of the member with a name, which must be an array; none if it is missing or null.
    func array(_ name: String) throws(MongoError) -> [BSON] { try member(name, "array") { $0.items } ?? [] }

    /// Returns the items of the member with a name, which must be an array of documents; none if it is missing or null.
    func documents(_ name: String) throws(MongoError) -> [MongoDocument] {
        var documents: [MongoDocument] = []
        for item in try array(name) { documents.append(try require(item.members, wrongType(name, item, "object"))) }
        return documents
    }

    /// Returns the member with a name, which must be a Boolean; `fallback` if it is missing or null.
    func bool(_ name: String, _ fallback: Bool = false) throws(MongoError) -> Bool {
        try member(name, "bool") { if case .bool(let value) = $0 { value } else { nil } } ?? fallback
    }

    /// Returns the member with a name, which must be a string; throws if it is missing.
    func string(_ name: String) throws(MongoError) -> String {
        try require(self[name].text, wrongType(name, self[name] ?? .null, "string"))
    }

    private func member<Value>(_ name: String, _ type: String, _ read: (BSON) -> Value?) throws(MongoError) -> Value? {
        guard let value = self[name] else { return nil }
        return try require(read(value), wrongType(name, value, type))
    }

    /// Returns the member with a name, which must be a number, as an integer without its fraction; nil if it is missing
    /// or null.
    func integer(_ name: String) throws(MongoError) -> Int? {
        guard let value = self[name] else { return nil }
        try require(value.type.isNumber, wrongType(name, value, "number"))
        let number = try require(value.truncatedInt64, .badValue("'\(path).\(name)' must be an integer of 64 bits."))
        return Int(number)
    }

    /// Returns the member with a name, which must be a number of at least 0, as an integer without its fraction; nil if
    /// it is missing or null.
    func count(_ name: String) throws(MongoError) -> Int? {
        guard let number = try integer(name) else { return nil }
        try require(number >= 0, 51024, "'\(path).\(name)' must be at least 0.")
        return number
    }

    /// Returns the variables of the command's member `let` and the current time, for the command's expressions.
    func context() throws(MongoError) -> FilterContext { FilterContext(variables: try document("let")) }

    private func wrongType(_ name: String, _ value: BSON, _ expected: String) -> MongoError {
        .typeMismatch("The field '\(path).\(name)' must be of the type '\(expected)', not '\(value.type.alias)'.")
    }
}
