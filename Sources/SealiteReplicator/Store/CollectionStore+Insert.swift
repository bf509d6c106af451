internal import SealiteProtocol
internal import SealiteDatabase
internal import SealiteRevisions

extension CollectionStore {
    /// A revision of a batch: either its outcome is decided already, or it is parsed and ready to be inserted.
    private enum Prepared {
        case decided(RevisionOutcome)
        case ready(TreeRevision)
    }

    /// The size in bytes of the bodies that are inserted in one transaction, above which a batch is divided. A batch of
    /// deltas can have far larger bodies than were received.
    static let preparedByteLimit = 16 << 20

    /// Inserts the valid revisions of a batch, in one transaction unless their bodies are very large, and returns the
    /// outcome of each revision, in order.
    func insert(_ revisions: [IncomingRevision], _ given: GivenAttachments) throws -> [RevisionOutcome] {
        var outcomes: [RevisionOutcome] = []
        var rest = revisions[...]
        while !rest.isEmpty {
            var prepared: [Prepared] = []
            var byteCount = 0
            while byteCount < Self.preparedByteLimit, let revision = rest.popFirst() {
                let next = try prepare(revision, given)
                if case .ready(let revision) = next { byteCount += revision.bodyByteCount }
                prepared.append(next)
            }
            outcomes += try insert(prepared)
        }
        return outcomes
    }

    private func insert(_ prepared: [Prepared]) throws -> [RevisionOutcome] {
        let ready = prepared.compactMap { item in
            if case .ready(let revision) = item { revision } else { nil }
        }
        var results = ready.isEmpty ? [][...] : try view.insert(ready)[...]
        assert(results.count == ready.count, "each revision has an outcome")
        return prepared.map { item in
            if case .decided(let outcome) = item { return outcome }
            switch results.removeFirst() {
            case .success(let outcome): return outcome
            case .failure(let error):
                if error.underlying as? VersionError == .aheadOfClock { return .aheadOfClock(reason: error.reason) }
                return .refused(status: error.code == .documentTooLarge ? 413 : 400, reason: Self.reason(of: error))
            }
        }
    }

    /// Inserts a batch of revisions, and returns the outcome of each, in order. If the batch fails and a retry wouldn't
    /// help, inserts each revision by itself, so that one that can't be stored doesn't keep the others out.
    func insertSeparately(_ revisions: [IncomingRevision], _ given: GivenAttachments) throws -> [RevisionOutcome] {
        do {
            return try insertSelected(revisions, given)
        } catch {
            guard !StoreFailure(error).isTransient, (error as? DatabaseError)?.code != .notOpen else { throw error }
            if revisions.count == 1 {
                return [.refused(status: 500, reason: (error as? DatabaseError).map(Self.reason) ?? "unexpected error")]
            }
            return try revisions.map { try insertSeparately([$0], given)[0] }
        }
    }

    /// Returns the reason that a peer gets for the refusal of its revision. An error that isn't a fault of the revision
    /// may name files of this machine, so only its kind is given.
    private static func reason(of error: DatabaseError) -> String {
        switch error.code {
        case .badDocumentID, .badRevisionID, .documentTooLarge, .invalidJSON: error.reason
        default: "the database of the answering side failed with the error \(error.identifier)"
        }
    }

    private func prepare(_ incoming: IncomingRevision, _ given: GivenAttachments) throws -> Prepared {
        let revision: TreeRevision
        do {
            if incoming.deltaSource == nil {
                revision = try TreeRevision(incoming)
            } else {
                switch try view.body(of: incoming) {
                case .success(let body): revision = try TreeRevision(incoming, body: body)
                case .failure(let refusal): return .decided(.deltaRefused(reason: refusal.reason))
                }
            }
        } catch let error as DatabaseError {
            return .decided(.refused(status: 400, reason: error.reason))
        }
        if case .active = role, revision.isRemoved {
            let isPurged =
                try isAutoPurging
                && removeAccess(incoming.documentID, incoming.version, history: incoming.history)
            return .decided(.accessRemoved(isPurged: isPurged))
        }
        if let pullFilter {
            guard pullFilter(collection.preview(revision), incoming.isDeleted ? .deleted : []) else {
                return .decided(.refused(status: 403, reason: "rejected by the pull filter"))
            }
        }
        let needs = try attachmentNeeds(revision, given)
        return needs.isEmpty ? .ready(revision) : .decided(.needsAttachments(needs))
    }

    /// Returns the attachments whose content the peer must send before the revision is stored. That the database has
    /// the content isn't sufficient: a peer that knows only a digest could otherwise read content that belongs to a
    /// document of another collection.
    private func attachmentNeeds(
        _ revision: TreeRevision, _ given: GivenAttachments
    ) throws -> [AttachmentNeed] {
        let digests = revision.digests
        guard !digests.isEmpty else { return [] }
        let missing = try database.missingBlobs(
            digests, readable: BlobReaders(collections: readable, document: (revision.incoming.documentID, collection)),
            isGiven: { revision.incoming.given.contains($0) || given.contains($0) })
        guard !missing.isEmpty else { return [] }
        let references = Dictionary(
            revision.blobReferences.map { ($0.digest, $0) }, uniquingKeysWith: { one, _ in one })
        assert(missing.allSatisfy { digests.contains($0) }, "only what the revision refers to is fetched")
        return missing.map { digest in
            // nil for a digest that occurs only within the metadata of another blob, where a reference has no length
            // and no type.
            let blob = references[digest]
            return AttachmentNeed(
                digest: digest, byteCount: blob?.length,
                isCompressible: Self.isCompressible(type: blob?.contentType, encoding: blob?.encoding))
        }
    }

    /// Returns whether content of a type should be compressed: not if it is compressed already or its type is unknown.
    static func isCompressible(type: String?, encoding: String?) -> Bool {
        guard let type = type?.lowercased(), encoding == nil else { return false }
        let packed = ["zip", "zlib", "pkcs", "mpeg", "mp4", "crypt", ".rar", "-rar"]
        return !packed.contains { type.contains($0) }
            && !["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    }
}
