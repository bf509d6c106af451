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
        try require(
            old != nil || !name.hasPrefix("$"), 52,
            "The field '\(name)' can't be stored, because its name begins with '$'.")
        let element: [UInt8]
        do throws(StoredValueError) {
            element = try BodyPatch.element(of: value, keeping: old, in: body)
        } catch {
            throw MongoError.badValue("The value of '\(name)' can't be stored: \(error).")
        }
        return try require(
            JSONBEdit.set(element, at: path, in: body),
            .badValue("The value of '\(name)' can't be stored: it is nested too deeply, or too large."))
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
        name != "_id" && node.operations.allSatisfy { $0.move == nil && $0.name != "$rename" }
    }
}

/// Encodes a changed document so that parts that are unchanged since the earlier document keep their stored bytes, such
/// as the digits of numbers.
enum BodyPatch {
    /// Returns the stored form of a document. Its parts that equal the parts at the same paths of the body `old` keep
    /// their bytes from there.
    static func body(of document: MongoDocument, keeping old: [UInt8]) throws(StoredValueError) -> [UInt8] {
        guard let root = JSONBElement(root: old.span), root.type == JSONBType.object else {
            return try document.stored()
        }
        return patched(try document.stored(), keeping: root, in: old)
    }

    /// Returns the stored form of a value. Its parts that equal the parts at the same paths of the element `old` keep
    /// their bytes from there; nil keeps none.
    static func element(
        of value: BSON, keeping old: JSONBElement?, in bytes: [UInt8]
    ) throws(StoredValueError) -> [UInt8] {
        let fresh = try value.stored()
        guard let old, let root = JSONBElement(root: fresh.span), keepsBytes(root, of: old) else { return fresh }
        return patched(fresh, keeping: old, in: bytes)
    }

    /// Returns a Boolean value that says whether an old element and its new value have types for which parts of the old
    /// one can be kept.
    private static func keepsBytes(_ fresh: JSONBElement, of old: JSONBElement) -> Bool {
        switch fresh.type {
        case JSONBType.object, JSONBType.array: fresh.type == old.type
        default: fresh.isNumber && old.isNumber
        }
    }

    private static func patched(_ fresh: [UInt8], keeping old: JSONBElement, in bytes: [UInt8]) -> [UInt8] {
        var writer = JSONBWriter(capacity: fresh.count)
        guard let root = JSONBElement(root: fresh.span) else { return fresh }
        write(root, fresh.span, old, bytes.span, into: &writer, depth: 0)
        return writer.bytes
    }

    private static func write(
        _ fresh: JSONBElement, _ bytes: borrowing Span<UInt8>, _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>,
        into writer: inout JSONBWriter, depth: Int
    ) {
        let isContainer = fresh.type == JSONBType.object || fresh.type == JSONBType.array
        guard isContainer, fresh.type == old.type, depth < JSONB.maximumDepth else {
            if fresh.isNumber, old.isNumber, fresh.value(in: bytes) == old.value(in: oldBytes) {
                writer.element(old.type, oldBytes, old.start, old.end)
            } else {
                writer.element(fresh.type, bytes, fresh.start, fresh.end)
            }
            return
        }
        let begun = writer.begin(guess: fresh.end - fresh.start)
        if fresh.type == JSONBType.object {
            writeMembers(fresh, bytes, old, oldBytes, into: &writer, depth: depth)
        } else {
            writeItems(fresh, bytes, old, oldBytes, into: &writer, depth: depth)
        }
        writer.end(fresh.type, begun)
    }

    private static func writeMembers(
        _ fresh: JSONBElement, _ bytes: borrowing Span<UInt8>, _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>,
        into writer: inout JSONBWriter, depth: Int
    ) {
        var offset = fresh.start
        while let member = ObjectMember(bytes, at: offset, limit: fresh.end) {
            writer.element(member.name.type, bytes, member.name.start, member.name.end)
            if let value = old.member(bytes.extracting(member.name.start..<member.name.end), in: oldBytes) {
                write(member.value, bytes, value, oldBytes, into: &writer, depth: depth + 1)
            } else {
                writer.element(member.value.type, bytes, member.value.start, member.value.end)
            }
            offset = member.value.end
        }
    }

    private static func writeItems(
        _ fresh: JSONBElement, _ bytes: borrowing Span<UInt8>, _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>,
        into writer: inout JSONBWriter, depth: Int
    ) {
        var (place, oldPlace) = (fresh.firstItemPlace, old.firstItemPlace)
        while let item = fresh.nextItem(&place, in: bytes) {
            if let value = old.nextItem(&oldPlace, in: oldBytes) {
                write(item, bytes, value, oldBytes, into: &writer, depth: depth + 1)
            } else {
                writer.element(item.type, bytes, item.start, item.end)
            }
        }
    }
}
