internal import SealiteValues

/// The members of a command, or of an object within it, accessed by name and type.
struct CommandFields {
    private let members: MongoDocument
    /// The path from the command to the object whose members these are, for error messages.
    private let path: String

    /// Creates the members of a document; throws for a member whose name isn't in `names`, and if one of `required` is
    /// missing.
    init(
        _ members: MongoDocument, at path: String, _ names: Set<String>, required: [String] = []
    ) throws(MongoError) {
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
        switch self[name] {
        case nil: return [:]
        case .document(let document)?: return document
        case let other?: throw wrongType(name, other, "object")
        }
    }

    /// Returns the items of the member with a name, which must be an array; none if it is missing or null.
    func array(_ name: String) throws(MongoError) -> [BSON] {
        switch self[name] {
        case nil: return []
        case .array(let items)?: return items
        case let other?: throw wrongType(name, other, "array")
        }
    }

    /// Returns the items of the member with a name, which must be an array of documents; none if it is missing or null.
    func documents(_ name: String) throws(MongoError) -> [MongoDocument] {
        var documents: [MongoDocument] = []
        for item in try array(name) {
            guard case .document(let document) = item else { throw wrongType(name, item, "object") }
            documents.append(document)
        }
        return documents
    }

    /// Returns the member with a name, which must be a Boolean; `fallback` if it is missing or null.
    func bool(_ name: String, _ fallback: Bool = false) throws(MongoError) -> Bool {
        switch self[name] {
        case nil: return fallback
        case .bool(let value)?: return value
        case let other?: throw wrongType(name, other, "bool")
        }
    }

    /// Returns the member with a name, which must be a string; throws if it is missing.
    func string(_ name: String) throws(MongoError) -> String {
        guard case .string(let text)? = self[name] else { throw wrongType(name, self[name] ?? .null, "string") }
        return text
    }

    /// Returns the member with a name, which must be a number, as an integer without its fraction; nil if it is missing
    /// or null.
    func integer(_ name: String) throws(MongoError) -> Int? {
        guard let value = self[name] else { return nil }
        guard value.type.isNumber else { throw wrongType(name, value, "number") }
        guard let number = value.truncatedInt64 else {
            throw .badValue("'\(path).\(name)' must be an integer of 64 bits.")
        }
        return Int(number)
    }

    /// Returns the member with a name, which must be a number of at least 0, as an integer without its fraction; nil if
    /// it is missing or null.
    func count(_ name: String) throws(MongoError) -> Int? {
        guard let number = try integer(name) else { return nil }
        guard number >= 0 else { throw MongoError(code: 51024, "'\(path).\(name)' must be at least 0.") }
        return number
    }

    /// Returns the variables of the command's member `let` and the current time, for the command's expressions.
    func context() throws(MongoError) -> FilterContext { FilterContext(variables: try document("let")) }

    private func wrongType(_ name: String, _ value: BSON, _ expected: String) -> MongoError {
        .typeMismatch(
            "The field '\(path).\(name)' must be of the type '\(expected)', not '\(value.type.alias)'.")
    }
}
