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
        guard case .string(let collection) = name.value else {
            throw MongoError(code: 73, "The name of the collection must be a string, not \(name.value.type.alias).")
        }
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
