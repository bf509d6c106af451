internal import SealiteJSON
package import SealiteRevisions

// Deltas: a revision is sent as the difference from one that the peer has, and received as the difference from one that
// the peer is known to have (Documentation/Replication.md, "Deltas").
extension ReplicatedCollection {
    /// Returns the delta to a document's current revision from the first of `known`, versions that the peer names, which it
    /// is known or allowed to have, and whose body is stored; nil if there is none, or the delta would be no smaller than
    /// the body. With a generation in `listing`, both bodies get the list of attachments of this generation that a Sync
    /// Gateway keeps in them, so that the delta names the attachments that differ.
    func delta(
        of record: RevisionRecord, from known: [Version], listing: UInt32?
    ) throws -> (body: [UInt8], delta: OutgoingDelta)? {
        guard let body = record.body, body.count >= Transaction.minimumDeltaBodyByteCount,
            !record.flags.contains(.deleted), !Self.hasAttachments(body), !mayDiffer(record.tree)
        else { return nil }
        for version in known {
            guard let id = version.id, isKnown(id, in: record.tree), let base = record.base(id),
                !Self.hasAttachments(base)
            else { continue }
            let (old, new) = (try Self.sent(base, listing), try Self.sent(body, listing))
            let made = try JSONSerializer.mapped { () throws(JSONError) in
                try JSONDelta.make(from: old.span, to: new.span, limit: body.count)
            }
            return made.map {
                ($0, OutgoingDelta(source: version, savedByteCount: UInt64(body.count - $0.count)))
            }
        }
        return nil
    }

    /// Returns a body in the form in which it is sent, in JSONB.
    private static func sent(_ body: [UInt8], _ listing: UInt32?) throws -> [UInt8] {
        guard let listing, let listed = try AttachmentList.json(of: body, generation: listing) else { return body }
        return try JSONParser.parse(listed)
    }

    /// Returns whether the peer of a listener may have another body under a version that it names: Couchbase Lite stores
    /// its own document under the listener's version where its resolver keeps it, in databases that were upgraded
    /// (Documentation/Replication.md, "Tree ids in histories"). A whole body ends that difference, a delta doesn't.
    private func mayDiffer(_ tree: RevisionTree) -> Bool {
        remote == nil && tree.hasVersions && !tree.history(at: 0).revisions.isEmpty
    }

    /// Returns whether the peer has a revision, or, if nothing is recorded about the peer, may have it. For any other
    /// revision, a delta would tell the peer something of a body that it doesn't have.
    private func isKnown(_ id: RevisionID, in tree: RevisionTree) -> Bool {
        remote.map { tree.revision(ofRemote: $0)?.id == id } ?? mayReadAll
    }

    /// Returns whether a stored body has a list of attachments of another program, of which each peer has a form of its
    /// own.
    private static func hasAttachments(_ body: [UInt8]) -> Bool {
        let name = Array(ReservedNames.attachments.utf8)
        return JSONBElement(root: body.span)?.member(name.span, in: body.span) != nil
    }

    /// Returns the body in JSONB of a revision that a peer has sent as a delta.
    ///
    /// The delta is applied only to a revision that the peer is known to have: the one that is recorded for the remote, or
    /// the current one if nothing is recorded about the peer and it may read every document of the collection. For any
    /// other one, the success would tell the peer about a document that it may not have.
    ///
    /// - Parameters:
    ///   - incoming: the revision, whose body is a delta from `deltaSource`.
    ///   - remoteForm: returns what the remote has for stored properties, both as JSON text; nil if it has the same.
    /// - Returns: the body, or the reason for which the whole body is needed.
    /// - Throws: errors from reading, and those of `remoteForm`.
    package func body(
        of incoming: IncomingRevision, remoteForm: (([UInt8]) throws -> [UInt8])? = nil
    ) throws -> Result<[UInt8], DeltaRefusal> {
        guard let source = incoming.deltaSource?.id,
            let record = try collection.database.reading({
                try self.collection.revisionRecord(incoming.documentID, $0)
            })
        else { return .failure(DeltaRefusal("the revision that it starts from isn't stored")) }
        if remoteForm == nil, let body = alreadyStored(incoming, record) { return .success(body) }
        guard isKnown(source, in: record.tree), remote != nil || source == record.tree.current.id else {
            return .failure(DeltaRefusal("the peer isn't known to have the revision that it starts from"))
        }
        guard !incoming.isDeleted,
            var base = source == record.tree.current.id ? record.body : record.base(source)
        else { return .failure(DeltaRefusal("the body of the revision that it starts from isn't stored")) }
        // A peer that keeps the list of attachments in its bodies has it in the deltas too.
        if incoming.body.contains(Array(ReservedNames.attachments.utf8)),
            let listed = try AttachmentList.json(of: base, generation: 1)
        {
            base = try JSONParser.parse(listed)
        }
        if let remoteForm { base = try JSONParser.parse(try remoteForm(try JSONSerializer.text(of: base))) }
        do throws(JSONDeltaError) {
            let limit = collection.database.configuration.maximumDocumentByteCount
            return .success(
                try JSONDelta.apply(incoming.body, to: base.span, limit: limit, allowsEmptyNames: false))
        } catch {
            return .failure(DeltaRefusal(error.description))
        }
    }
}

extension ReplicatedCollection {
    /// Returns the current body if the received revision is the current one, as after a connection that broke before the
    /// peer got its answer. From a peer that may not read every document this isn't looked at.
    private func alreadyStored(_ incoming: IncomingRevision, _ record: RevisionRecord) -> [UInt8]? {
        guard remote != nil || mayReadAll, incoming.version.id == record.tree.current.id else { return nil }
        return record.body
    }
}

extension RevisionRecord {
    /// Returns the stored body of an earlier revision; nil if it isn't stored, or the revision is a tombstone.
    fileprivate func base(_ id: RevisionID) -> [UInt8]? {
        if let index = tree.index(of: id), index == 0 || tree.nodes[index].flags.contains(.deleted) { return nil }
        let ofNode = tree.index(of: id).flatMap { tree.nodes[$0].body }
        return ofNode ?? tree.bases.body(of: id, current: currentBody)
    }
}

/// The reason for which a delta of a peer isn't applied, without content of documents.
package struct DeltaRefusal: Error, Sendable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
