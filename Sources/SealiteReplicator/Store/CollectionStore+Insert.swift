internal import SealiteProtocol
internal import SealiteDatabase
internal import SealiteRevisions

extension CollectionStore {
    /// A revision of a batch: decided already, or read and ready to be inserted.
    private enum Prepared {
        case decided(RevisionOutcome)
        case ready(TreeRevision)
    }

    /// Inserts what can be inserted of a batch in one transaction.
    func insert(_ revisions: [IncomingRevision], _ given: GivenAttachments) throws -> [RevisionOutcome] {
        let prepared = try revisions.map { try prepare($0, given) }
        let ready = prepared.compactMap { item in
            if case .ready(let revision) = item { revision } else { nil }
        }
        var results = ready.isEmpty ? [][...] : try view.insert(ready)[...]
        return prepared.map { item in
            if case .decided(let outcome) = item { return outcome }
            switch results.removeFirst() {
            case .success(let outcome): return outcome
            case .failure(let error):
                return .refused(status: error.code == .documentTooLarge ? 413 : 400, reason: error.reason)
            }
        }
    }

    private func prepare(_ incoming: IncomingRevision, _ given: GivenAttachments) throws -> Prepared {
        // Nobody announces deltas, so nobody may send one.
        guard incoming.deltaSource == nil else { return .decided(.deltaBaseMissing) }
        let revision: TreeRevision
        do {
            revision = try TreeRevision(incoming)
        } catch let error as DatabaseError {
            return .decided(.refused(status: 400, reason: error.reason))
        }
        if case .active = role, revision.isRemoved {
            let isPurged = isAutoPurging ? try removeAccess(incoming.documentID, incoming.version) : false
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

    /// The attachments whose content the peer must send before the revision is stored. That the database has the content is not
    /// enough: a peer that only knows a digest would get to read what a document of another collection refers to.
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
        return missing.map { digest in
            // A reference within the description of another blob is known by its digest only.
            let blob = references[digest]
            return AttachmentNeed(
                digest: digest, byteCount: blob?.length,
                isCompressible: Self.isCompressible(type: blob?.contentType, encoding: blob?.encoding))
        }
    }

    /// Returns whether content of a type is worth compressing: not what is compressed already, or unknown.
    static func isCompressible(type: String?, encoding: String?) -> Bool {
        guard let type = type?.lowercased(), encoding == nil else { return false }
        let packed = ["zip", "zlib", "pkcs", "mpeg", "mp4", "crypt", ".rar", "-rar"]
        return !packed.contains { type.contains($0) }
            && !["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    }
}
