internal import SealiteValues

/// The members of a stage's specification, which is an object, by name.
struct StageMembers {
    private let members: MongoDocument
    private let stage: String

    /// Creates the members of the specification of the stage with the name `stage`. Throws `MongoError` if it isn't an
    /// object, has a member that isn't in `names`, or lacks one of `required`; `code` is the error's code if it isn't
    /// an object.
    init(_ specification: BSON, of stage: String, _ names: [String], required: [String] = [], code: Int = 9) throws {
        guard case .document(let members) = specification else {
            throw MongoError(code: code, "\(stage) takes an object, not \(specification.type.alias).")
        }
        if let unknown = members.keys.first(where: { !names.contains($0) }) {
            throw MongoError(code: 40415, "\(stage) doesn't know the member '\(unknown)'.")
        }
        if let absent = required.first(where: { members[$0] == nil }) {
            throw MongoError(code: 40414, "\(stage) needs the member '\(absent)'.")
        }
        (self.members, self.stage) = (members, stage)
    }

    subscript(name: String) -> BSON? { members[name] }

    /// Returns the member with a name, which must be a string; nil if it is missing.
    func string(_ name: String) throws -> String? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value else { throw wrongType(name, "a string") }
        return text
    }

    /// Returns the member with a name, which must be a document; nil if it is missing.
    func document(_ name: String) throws -> MongoDocument? {
        guard let value = members[name] else { return nil }
        guard case .document(let document) = value else { throw wrongType(name, "an object") }
        return document
    }

    /// Returns the items of the member with a name, which must be an array; nil if it is missing.
    func array(_ name: String) throws -> [BSON]? {
        guard let value = members[name] else { return nil }
        guard case .array(let items) = value else { throw wrongType(name, "an array") }
        return items
    }

    private func wrongType(_ name: String, _ wanted: String) -> MongoError {
        MongoError(code: 14, "\(stage) takes \(wanted) as '\(name)', not \(members[name].typeName).")
    }
}
