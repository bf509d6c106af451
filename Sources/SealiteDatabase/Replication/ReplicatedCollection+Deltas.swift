internal import SealiteJSON
package import SealiteRevisions

// Deltas: a revision is sent as the difference from one that the peer has, and received as the difference from one that
// the peer is known to have (Documentation/Replication.md, "Deltas").
extension ReplicatedCollection {
    /// The size in bytes of a stored body below which it is sent whole: to make and apply a delta takes more processor time
    /// than to send such a body.
    static let minimumDeltaBodyByteCount = 2_000

    /// Returns the delta to a document's current revision from the first of `known`, versions that the peer has, whose body
    /// is stored; nil if there is none, or the delta would be no smaller than the body.
    func delta(
        of record: RevisionRecord, from known: [Version]
    ) throws -> (body: [UInt8], delta: OutgoingDelta)? {
        guard let body = record.body, body.count >= Self.minimumDeltaBodyByteCount,
            !record.flags.contains(.deleted), !Self.hasAttachments(body)
        else { return nil }
        for version in known {
            guard let id = version.id, let index = record.tree.index(of: id), index != 0,
                !record.tree.nodes[index].flags.contains(.deleted), let base = record.tree.nodes[index].body,
                !Self.hasAttachments(base)
            else { continue }
            let made = try JSONSerializer.mapped { () throws(JSONError) in
                try JSONDelta.make(from: base.span, to: body.span, limit: body.count)
            }
            return made.map {
                ($0, OutgoingDelta(source: version, savedByteCount: UInt64(body.count - $0.count)))
            }
        }
        return nil
    }

    /// Returns whether a stored body has a list of attachments of another program, of which each peer has a form of its
    /// own.
    private static func hasAttachments(_ body: [UInt8]) -> Bool {
        let name = Array(ReservedNames.attachments.utf8)
        return JSONBElement(root: body.span)?.member(name.span, in: body.span) != nil
    }

    /// Returns a revision that a peer has sent as a delta, with the body that results.
    ///
    /// The delta is applied only to a revision that the peer is known to have: the one that is recorded for the remote, or
    /// the current one if nothing is recorded about the peer and it may read every document of the collection. For any
    /// other one, the success would tell the peer about a document that it may not have.
    ///
    /// - Parameters:
    ///   - incoming: the revision, whose body is a delta from `deltaSource`.
    ///   - isReadable: whether the peer may read every document of the collection.
    /// - Returns: the revision, or the reason for which the whole body is needed.
    /// - Throws: errors from reading, and those of `TreeRevision.init`.
    package func applying(
        _ incoming: IncomingRevision, isReadable: Bool
    ) throws -> Result<TreeRevision, DeltaRefusal> {
        guard let source = incoming.deltaSource?.id,
            let record = try collection.database.reading({
                try self.collection.revisionRecord(incoming.documentID, $0)
            }),
            let index = record.tree.index(of: source)
        else { return .failure(DeltaRefusal("the revision that it starts from isn't stored")) }
        let isKnown = remote.map { record.tree.remotes[$0] == index } ?? (isReadable && index == 0)
        guard isKnown else {
            return .failure(DeltaRefusal("the peer isn't known to have the revision that it starts from"))
        }
        guard !incoming.isDeleted, !record.tree.nodes[index].flags.contains(.deleted),
            var base = index == 0 ? record.body : record.tree.nodes[index].body
        else { return .failure(DeltaRefusal("the body of the revision that it starts from isn't stored")) }
        // A peer that keeps the list of attachments in its bodies has it in the deltas too.
        if incoming.body.contains(Array(ReservedNames.attachments.utf8)),
            let listed = try AttachmentList.json(of: base, generation: 1)
        {
            base = try JSONParser.parse(listed)
        }
        let body: [UInt8]
        do throws(JSONDeltaError) {
            let limit = collection.database.configuration.maximumDocumentByteCount
            body = try JSONDelta.apply(incoming.body, to: base.span, limit: limit)
        } catch {
            return .failure(DeltaRefusal(error.description))
        }
        return .success(try TreeRevision(incoming, body: body))
    }
}

/// The reason for which a delta of a peer isn't applied, without content of documents.
package struct DeltaRefusal: Error, Sendable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
