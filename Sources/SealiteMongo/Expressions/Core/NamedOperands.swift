internal import SealiteValues

/// The members of an operator's operand, which is an object, by name.
struct NamedOperands {
    private let members: MongoDocument

    /// Creates the members of the operand of the operator `name`. Throws `MongoError` with `code` if the operand isn't
    /// an object, has a member that isn't in `names`, or lacks one of `required`.
    init(_ operand: BSON, of name: String, _ names: [String], required: Set<String>, code: Int = 9) throws {
        guard case .document(let members) = operand else {
            throw MongoError(code: code, "\(name) takes an object, not \(operand.type.alias).")
        }
        if let unknown = members.keys.first(where: { !names.contains($0) }) {
            throw MongoError(code: code, "\(name) doesn't know the argument '\(unknown)'.")
        }
        if let absent = required.sorted().first(where: { members[$0] == nil }) {
            throw MongoError(code: code, "\(name) needs the argument '\(absent)'.")
        }
        self.members = members
    }

    subscript(name: String) -> BSON? { members[name] }
}
