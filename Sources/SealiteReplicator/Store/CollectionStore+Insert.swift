internal import SealiteProtocol
internal import SealiteDatabase

extension CollectionStore {
    /// A revision of a batch: decided already, or read and ready to be inserted.
    private enum Prepared {
        case decided(InsertOutcome)
        case ready(SealiteDatabase.IncomingRevision)
    }

    /// Inserts what can be inserted of a batch in one transaction.
    func insert(_ revisions: [SealiteProtocol.IncomingRevision], _ given: GivenAttachments) throws -> [InsertOutcome] {
        let prepared = try revisions.map { try prepare($0, given) }
        let ready = prepared.compactMap { item in
            if case .ready(let revision) = item { revision } else { nil }
        }
        var results = ready.isEmpty ? [][...] : try view.insert(ready)[...]
        return prepared.map { item in
            if case .decided(let outcome) = item { return outcome }
            return outcome(results.removeFirst())
        }
    }

    private func outcome(_ result: Result<IncomingOutcome, DatabaseError>) -> InsertOutcome {
        switch result {
        case .success(.inserted): .inserted
        case .success(.resurrected): .resurrected
        case .success(.existing): .known
        case .success(.conflict): .conflict
        case .success(.refused): .conflictRefused
        case .failure(let error):
            .refused(BLIPErrorReply(code: error.code == .documentTooLarge ? 413 : 400, message: error.reason))
        }
    }

    private func prepare(_ revision: SealiteProtocol.IncomingRevision, _ given: GivenAttachments) throws -> Prepared {
        guard let revisionID = RevisionID(revision.revisionID.text) else {
            return .decided(.refused(BLIPErrorReply(code: 400, message: "the revision id is not of a revision tree")))
        }
        let history = revision.history.compactMap { RevisionID($0.text) }
        guard history.count == revision.history.count else {
            return .decided(.refused(BLIPErrorReply(code: 400, message: "a revision id of the history is invalid")))
        }
        // Nobody announces deltas, so nobody may send one.
        guard revision.deltaSource == nil else { return .decided(.deltaBaseMissing) }
        let body: ReplicatedBody
        do {
            body = try ReplicatedBody(json: revision.body)
        } catch let error as DatabaseError {
            return .decided(.refused(BLIPErrorReply(code: 400, message: error.reason)))
        }
        if case .active = role, body.isRemoved {
            let isPurged = isAutoPurging ? try removeAccess(revision.documentID, revision.revisionID) : false
            return .decided(.accessLost(isPurged: isPurged))
        }
        if let pullFilter {
            let document = collection.preview(
                id: revision.documentID, revision: revisionID, isDeleted: revision.isDeleted, body: body)
            guard pullFilter(document, revision.isDeleted ? .deleted : []) else {
                return .decided(.refused(BLIPErrorReply(code: 403, message: "rejected by the pull filter")))
            }
        }
        let needs = try attachmentNeeds(revision, body, given)
        guard needs.isEmpty else { return .decided(.needsAttachments(needs)) }
        return .ready(
            SealiteDatabase.IncomingRevision(
                id: revision.documentID, revision: revisionID, history: history, isDeleted: revision.isDeleted,
                body: body, remote: view.remote, isConflictAllowed: !revision.isConflictRefused))
    }

    /// The attachments whose content the peer must send before the revision is stored. That the database has the content is not
    /// enough: a peer that only knows a digest would get to read what a document of another collection refers to.
    private func attachmentNeeds(
        _ revision: SealiteProtocol.IncomingRevision, _ body: ReplicatedBody, _ given: GivenAttachments
    ) throws -> [AttachmentNeed] {
        let digests = body.digests
        guard !digests.isEmpty else { return [] }
        let missing = try database.missingBlobs(
            digests, readable: BlobReaders(collections: readable, document: (revision.documentID, collection)),
            isGiven: { digest in
                AttachmentDigest(digest.description).map { revision.given.contains($0) || given.contains($0) } ?? false
            })
        guard !missing.isEmpty else { return [] }
        let references = Dictionary(body.blobReferences.map { ($0.digest, $0) }, uniquingKeysWith: { one, _ in one })
        return missing.compactMap { missing in
            guard let digest = AttachmentDigest(missing.description) else { return nil }
            // A reference within the description of another blob is known by its digest only.
            let blob = references[missing]
            return AttachmentNeed(
                digest: digest, byteCount: blob?.length,
                isCompressible: Self.isCompressible(type: blob?.contentType, encoding: blob?.encoding))
        }
    }

    /// Whether content of a type is worth compressing: not what is compressed already, or unknown.
    static func isCompressible(type: String?, encoding: String?) -> Bool {
        guard let type = type?.lowercased(), encoding == nil else { return false }
        let packed = ["zip", "zlib", "pkcs", "mpeg", "mp4", "crypt", ".rar", "-rar"]
        return !packed.contains { type.contains($0) }
            && !["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    }
}
