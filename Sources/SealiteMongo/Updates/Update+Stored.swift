internal import SealiteJSON
internal import SealiteValues

extension Update {
    /// Applies the update to a stored body, of which only the affected members are decoded. `position` is the index in
    /// an array at which the filter found its value.
    ///
    /// - Returns: the updated body, the same bytes if nothing changes; nil for an update that needs the whole document:
    ///   a replacement, a pipeline, one that moves values, and one of the `_id`.
    /// - Throws: the errors of `apply(to:position:isInsertion:)`.
    func edited(_ body: [UInt8], position: Int?) throws -> [UInt8]? {
        guard let members = independentMembers else { return nil }
        let situation = UpdateSituation(position: position, isInsertion: false, now: now)
        let application = UpdateApplication(situation: situation, filters: filters)
        var edited = body
        for member in members {
            let found = JSONBEdit.find([.member(member.name)], in: edited)
            let old = try found.map { element in
                guard let value = BSON(stored: element, in: edited.span) else { throw Self.damaged(member.name) }
                return value
            }
            var value = old
            try application.apply(member.node, to: &value, at: member.name)
            guard value != old else { continue }
            edited = try Self.body(edited, with: value, at: member.name, in: found)
        }
        return edited
    }

    private static func damaged(_ name: String) -> MongoError {
        MongoError(code: 2, "A document can't be updated, since its stored field '\(name)' is damaged.")
    }

    private static func body(
        _ body: [UInt8], with value: BSON?, at name: String, in old: JSONBElement?
    ) throws -> [UInt8] {
        let path: [JSONBStep] = [.member(name)]
        guard let value else {
            guard let changed = JSONBEdit.remove(at: path, in: body) else { throw damaged(name) }
            return changed
        }
        guard old != nil || !name.hasPrefix("$") else {
            throw MongoError(code: 52, "The field '\(name)' can't be stored, because its name begins with '$'.")
        }
        let element: [UInt8]
        do throws(StoredValueError) {
            element = try BodyPatch.element(of: value, keeping: old, in: body)
        } catch {
            throw MongoError.badValue("The value of '\(name)' can't be stored: \(error).")
        }
        guard let changed = JSONBEdit.set(element, at: path, in: body) else {
            throw MongoError.badValue("The value of '\(name)' can't be stored: it is nested too deeply, or too large.")
        }
        return changed
    }
}

extension Update.Kind {
    /// The members of a document to which operators apply, if each can be changed independently; nil for other kinds of
    /// updates, and if the `_id` is affected or values are moved.
    var independentMembers: [UpdateNode.Member]? {
        guard case .operators(.members(let members, nil)) = self, members.allSatisfy(\.isIndependent) else {
            return nil
        }
        return members
    }
}

extension UpdateNode.Member {
    /// A Boolean value that says whether the member can be changed without reading other members.
    fileprivate var isIndependent: Bool {
        name != "_id" && node.operations.allSatisfy { $0.source == nil && $0.name != "$rename" }
    }
}
