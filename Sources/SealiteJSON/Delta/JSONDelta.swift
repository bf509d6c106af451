/// The difference of two bodies in the delta format of Couchbase's replication protocol (Documentation/JSON.md §4): JSON
/// text that turns one body into the other.
///
/// Both bodies are stored JSONB. Numbers are compared by their text, so that `1e3` and `1000` differ; the order of an
/// object's members isn't part of its value, and a delta doesn't carry it.
package enum JSONDelta {
    /// Returns the delta from one body to another; nil if it would be larger than `limit`.
    ///
    /// The processor time is linear in the size of both bodies. Memory is allocated for the delta, and for objects whose
    /// members aren't in the same order in both bodies.
    ///
    /// - Parameters:
    ///   - old: the JSONB that the receiver has.
    ///   - new: the JSONB that the receiver shall have.
    ///   - limit: the largest size of the delta in bytes.
    /// - Returns: the JSON text in UTF-8, `{}` for equal bodies.
    /// - Throws: `malformed` if either isn't JSONB.
    package static func make(
        from old: borrowing Span<UInt8>, to new: borrowing Span<UInt8>, limit: Int
    ) throws(JSONError) -> [UInt8]? {
        guard let oldRoot = JSONBElement(root: old), oldRoot.end == old.count,
            let newRoot = JSONBElement(root: new), newRoot.end == new.count
        else { throw DeltaWriter.damaged }
        var writer = DeltaWriter(limit: limit)
        let isDifferent = try writer.difference(oldRoot, old, newRoot, new, depth: 0)
        if !isDifferent { writer.writeEmpty() }
        return writer.finish()
    }

    /// Returns a body with a delta applied to it.
    ///
    /// The delta may come from a peer: the processor time and the memory are linear in its size and that of the body, and
    /// the result is at most as large as both together, nested at most `JSONB.maximumDepth` levels deep.
    ///
    /// - Parameters:
    ///   - delta: the delta, JSON text in UTF-8.
    ///   - old: the JSONB to which it is applied.
    ///   - limit: the largest size of the result in bytes.
    ///   - allowsEmptyNames: whether the delta may change members with an empty name. Those of Couchbase Lite Core 4.0
    ///     remove such members or name them twice, although they haven't changed.
    /// - Returns: the JSONB of the new body, an object.
    /// - Throws: ``JSONDeltaError``.
    package static func apply(
        _ delta: [UInt8], to old: borrowing Span<UInt8>, limit: Int, allowsEmptyNames: Bool = true
    ) throws(JSONDeltaError) -> [UInt8] {
        let parsed: [UInt8]
        do throws(JSONError) { parsed = try JSONB.parse(delta, requiresObject: false) } catch {
            throw .malformed(error)
        }
        guard let oldRoot = JSONBElement(root: old), oldRoot.end == old.count, oldRoot.type == JSONBType.object,
            let root = JSONBElement(root: parsed.span)
        else { throw .damagedBase }
        var patch = DeltaPatch(capacity: old.count + parsed.count, limit: limit, allowsEmptyNames: allowsEmptyNames)
        let change = DeltaPatch.Change(element: root, start: 0)
        try patch.apply(change, parsed.span, to: DeltaPatch.Base(element: oldRoot, start: 0), old)
        return try patch.finish()
    }
}

/// The reasons for which a delta is refused. None contains anything of the delta or of the body.
package enum JSONDeltaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The delta isn't JSON that a document could contain.
    case malformed(JSONError)
    /// The delta doesn't have the format's form at one place, or that place doesn't exist in the body.
    case inapplicable(Reason)
    /// A member with an empty name would change, which isn't allowed.
    case emptyName
    /// The new body would be larger than the limit.
    case tooLarge
    /// The body to which the delta should be applied isn't an object in JSONB.
    case damagedBase

    /// The reasons for which a well-formed JSON text isn't a delta of the body.
    package enum Reason: String, Sendable, CaseIterable {
        case notAnObject = "the result is not an object"
        case membersOfScalar = "it changes members or items of a value that has none"
        case missingValue = "it changes or removes a value that the body does not have"
        case unknownForm = "an array in it has none of the known forms"
        case unknownIndex = "it has an index that is no number, or is beyond the array's end"
        case removedItem = "it removes an item from within an array"
        case remainder = "the rest of an array is not an array, or overlaps other changes"
        case notText = "it changes the text of a value that is no string"
        case textOperations = "the operations on a text do not fit the text"
        case notUTF8 = "the changed text is not UTF-8"
    }

    package var description: String {
        switch self {
        case .malformed(let error): "the delta is not valid JSON: \(error)"
        case .inapplicable(let reason): "the delta does not fit: \(reason.rawValue)"
        case .emptyName: "it changes a member with an empty name"
        case .tooLarge: "the document would be too large"
        case .damagedBase: "the stored revision is damaged"
        }
    }
}
