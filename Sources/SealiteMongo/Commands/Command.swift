internal import SealiteValues

/// A command on one collection, in the form of MongoDB's wire protocol.
struct Command: Sendable {
    /// A function that runs a command on a collection's documents and returns the command's reply.
    typealias Function = @Sendable (MongoDocument, any DocumentStore) throws -> MongoDocument

    /// The functions of all commands, by the commands' names.
    private static let all: [String: Function] = writing.merging(reading) { first, _ in first }

    private static let reading: [String: Function] = [
        "find": ReadCommands.find,
        "count": ReadCommands.count,
        "distinct": ReadCommands.distinct,
    ]

    private static let writing: [String: Function] = [
        "insert": WriteCommands.insert,
        "update": WriteCommands.update,
        "delete": WriteCommands.delete,
        "findAndModify": FindAndModifyCommand.run,
        "findandmodify": FindAndModifyCommand.run,
    ]

    /// The members that every command may have. All except `let`, which has the variables of expressions, have no
    /// effect.
    static let commonNames: Set<String> = [
        "$db", "lsid", "comment", "maxTimeMS", "readConcern", "writeConcern", "hint", "let",
    ]

    /// The name of the collection that the command is on.
    let collection: String
    /// A Boolean value that says whether the command may change documents.
    let isWriting: Bool
    private let function: Function
    private let document: MongoDocument

    /// Creates the command of a document, whose first member has the command's name and the collection's name as its
    /// value.
    init(_ document: MongoDocument) throws {
        guard let name = document.members.first, let function = Self.all[name.key] else {
            throw MongoError(code: 59, "no such command: '\(document.keys.first ?? "")'")
        }
        guard case .string(let collection) = name.value else {
            throw MongoError(code: 73, "collection name has invalid type \(name.value.type.alias)")
        }
        (self.collection, self.function, self.document) = (collection, function, document)
        isWriting = Self.writing[name.key] != nil
    }

    /// Runs the command on the documents of its collection and returns its reply, with `ok` as the last member.
    func run(_ store: any DocumentStore) throws -> MongoDocument {
        var reply = try function(document, store)
        reply.append("ok", .double(1))
        return reply
    }
}
