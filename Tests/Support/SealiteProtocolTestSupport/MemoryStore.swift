import SealiteProtocol
import SealiteRevisions
import Foundation

/// A database of one collection in memory: documents with revision trees, attachments, checkpoints. It answers
/// `StoreRequest`s as the document database is to answer them.
final class MemoryStore {
    struct Revision {
        let parent: Version?
        let isDeleted: Bool
        let body: [UInt8]?
    }

    struct Document {
        var revisions: [Version: Revision] = [:]
        var current: Version
        var sequence: UInt64
        /// The version that the remote is known to have.
        var remote: Version?
        /// The remote's revision that conflicts with the current one.
        var conflict: Version?

        func ancestors(of id: Version) -> [Version] {
            var ancestors: [Version] = []
            var next = revisions[id]?.parent
            while let parent = next {
                ancestors.append(parent)
                next = revisions[parent]?.parent
            }
            return ancestors
        }

        /// The ancestors of the current revision, newest first, for a receiver that has some of them: with the first of those last.
        func history(known: [Version], limit: Int) -> [Version] {
            let ancestors = ancestors(of: current)
            guard let index = ancestors.firstIndex(where: known.contains) else { return Array(ancestors.prefix(limit)) }
            guard index >= limit else { return Array(ancestors[...index]) }
            return limit > 0 ? Array(ancestors.prefix(limit - 1)) + [ancestors[index]] : []
        }
    }

    var documents: [String: Document] = [:]
    var attachments: [BlobDigest: [UInt8]] = [:]
    var checkpoints: [String: [UInt8]] = [:]
    var peerCheckpoints: [String: GetCheckpointReply] = [:]
    var lastSequence: UInt64 = 0
    /// The remote's refusals by document.
    var refusals: [String: Refusal] = [:]
    /// The revisions of the remote that couldn't be stored, by document.
    var unstored: [String: Refusal] = [:]
    var refusalLimit = Int.max
    /// Refuses documents, as a pull filter does.
    var pullFilter: (IncomingRevision) -> Bool = { _ in true }
    /// Makes requests fail.
    var failure: (StoreRequest) -> StoreFailure? = { _ in nil }
    /// Called when something changed.
    var observers: [() -> Void] = []

    /// Makes a local revision and returns its ID.
    @discardableResult
    func save(_ id: String, _ body: String, isDeleted: Bool = false) -> Version {
        let parent = documents[id]?.current
        let bytes = Array(body.utf8)
        let input = [UInt8(clamping: parent?.text.utf8.count ?? 0)] + Array((parent?.text ?? "").utf8)
        let digest = TestDigest.sha1(input + [isDeleted ? 1 : 0] + bytes).hex
        let revision = Version("\((parent?.revisionID?.generation ?? 0) + 1)-\(digest)")
        put(id, revision, history: parent.map { [$0] } ?? [], isDeleted: isDeleted, body: bytes)
        onChange()
        return revision
    }

    private func onChange() {
        for observer in observers { observer() }
    }

    /// Adds a revision with its history and makes it current.
    func put(
        _ id: String, _ revision: Version, history: [Version], isDeleted: Bool = false, body: [UInt8]
    ) {
        lastSequence += 1
        var document = documents[id] ?? Document(current: revision, sequence: 0)
        add(revision, history, isDeleted, body, to: &document)
        document.current = revision
        document.sequence = lastSequence
        documents[id] = document
    }

    private func add(
        _ revision: Version, _ history: [Version], _ isDeleted: Bool, _ body: [UInt8],
        to document: inout Document
    ) {
        document.revisions[revision] = Revision(parent: history.first, isDeleted: isDeleted, body: body)
        for (index, ancestor) in history.enumerated() where document.revisions[ancestor] == nil {
            let parent = index + 1 < history.count ? history[index + 1] : nil
            document.revisions[ancestor] = Revision(parent: parent, isDeleted: false, body: nil)
        }
    }

    func body(_ id: String) -> String? {
        documents[id].flatMap { $0.revisions[$0.current]?.body }.map { String(decoding: $0, as: UTF8.self) }
    }

    func isDeleted(_ id: String) -> Bool { documents[id].map { $0.revisions[$0.current]?.isDeleted == true } ?? false }

    /// The current revision of every document, to compare two databases.
    var currentRevisions: [String: String] { documents.mapValues(\.current.text) }

    @discardableResult
    func saveAttachment(_ content: [UInt8]) throws -> BlobDigest {
        guard let digest = BlobDigest("sha1-" + TestDigest.sha1(content).base64) else {
            throw TranscriptError.malformed(0)
        }
        attachments[digest] = content
        return digest
    }

    /// Takes the remote's side in a conflict, or makes a child of it with the local content.
    func resolve(_ id: String, keepingLocal: Bool) {
        guard var document = documents[id], let theirs = document.conflict else { return }
        let ours = document.revisions[document.current]
        document.conflict = nil
        document.current = theirs
        lastSequence += 1
        document.sequence = lastSequence
        documents[id] = document
        if keepingLocal, let ours, let body = ours.body {
            save(id, String(decoding: body, as: UTF8.self), isDeleted: ours.isDeleted)
        } else {
            onChange()
        }
    }
}

// MARK: - Requests

extension MemoryStore {
    func perform(_ request: StoreRequest) -> StoreResult {
        if let failure = failure(request) { return .failed(failure) }
        switch request {
        case .loadCheckpoint(let id): return .checkpoint(checkpoints[id])
        case .saveCheckpoint(let id, let body):
            checkpoints[id] = body
            return .done
        case .startNewSource(let source): return .newSource(source)
        case .loadPeerCheckpoint(let id): return .peerCheckpoint(peerCheckpoints[id])
        case .savePeerCheckpoint(let id, let revision, let body):
            let stored = peerCheckpoints[id]?.revision ?? ""
            guard stored == revision else { return .peerCheckpointConflict }
            let next = "\((stored.prefix { $0 != "-" }.description as NSString).integerValue + 1)-cc"
            peerCheckpoints[id] = GetCheckpointReply(revision: next, body: body)
            return .peerCheckpointSaved(revision: next)
        case .scan(let scan): return .changes(page(scan))
        case .loadRevisions(let queries): return .revisions(queries.map(load))
        case .reconsider(let change, let server): return .reconsidered(reconsider(change, server))
        case .markSynced(let revisions):
            let conflicting = revisions.filter { adopt($0.documentID, $0.version, isPushed: true) }
            return .synced(conflicting: conflicting.map(\.documentID))
        case .compare(let rows): return .compared(rows.map(compare))
        case .decide(let rows, _): return .decided(rows.map(decide))
        case .insert(let revisions, _): return .inserted(revisions.map(insert))
        case .removeAccess(let rows):
            for row in rows { documents[row.documentID] = nil }
            return .accessRemoved(rows.map { _ in true })
        case .loadRefused(let scan): return .changes(refused(scan))
        case .recordRefusals(let new):
            var left: [Int] = []
            for (index, refusal) in new.enumerated() {
                if refusal.side == .local {
                    let hasRoom = unstored[refusal.documentID] != nil || unstored.count < refusalLimit
                    if hasRoom { unstored[refusal.documentID] = refusal } else { left.append(index) }
                    continue
                }
                guard documents[refusal.documentID]?.current == refusal.version else { continue }
                guard refusals[refusal.documentID] != nil || refusals.count < refusalLimit else {
                    left.append(index)
                    continue
                }
                refusals[refusal.documentID] = refusal
                if documents[refusal.documentID]?.remote == refusal.version {
                    documents[refusal.documentID]?.remote = nil
                }
            }
            return .refusalsRecorded(left: left)
        case .forgetRefusals(let ids, let side):
            for id in ids where side == .remote { refusals[id] = nil }
            for id in ids where side == .local { unstored[id] = nil }
            return .done
        }
    }

    private func refused(_ scan: ChangeScan) -> ChangePage {
        let changes = refusals.values.filter { documents[$0.documentID]?.current == $0.version }
            .compactMap { refusal in
                let id = refusal.documentID
                return documents[id].map { localChange(id, $0) }
            }
            .filter { $0.remoteVersion != $0.version }
        return ChangePage(
            changes: changes.sorted { $0.sequence < $1.sequence }, scannedThrough: scan.after, isEnd: true)
    }

    private func page(_ scan: ChangeScan) -> ChangePage {
        let filter = scan.documentIDs.map { Set($0) }
        let activeOnlyThrough = min(scan.activeOnlyThrough, lastSequence)
        let newer = documents.filter { $0.value.sequence > scan.after }.sorted { $0.value.sequence < $1.value.sequence }
        var changes: [LocalChange] = []
        for (index, (id, document)) in newer.enumerated() {
            if filter?.contains(id) == false { continue }
            let isReoffered = document.sequence <= scan.reofferedThrough
            let isKnown = document.remote == document.current && !isReoffered
            if scan.isForPush, isKnown || document.conflict != nil { continue }
            var change = localChange(id, document)
            if isReoffered { (change.isReoffered, change.remoteVersion) = (true, nil) }
            if change.isDeleted, change.sequence <= activeOnlyThrough { continue }
            changes.append(change)
            if changes.count == scan.limit {
                return ChangePage(
                    changes: changes, scannedThrough: document.sequence, isEnd: index == newer.count - 1,
                    activeOnlyThrough: activeOnlyThrough)
            }
        }
        return ChangePage(
            changes: changes, scannedThrough: newer.last?.value.sequence ?? scan.after, isEnd: true,
            activeOnlyThrough: activeOnlyThrough)
    }

    private func localChange(_ id: String, _ document: Document) -> LocalChange {
        let revision = document.revisions[document.current]
        return LocalChange(
            sequence: document.sequence, documentID: id, version: document.current,
            isDeleted: revision?.isDeleted ?? false, remoteVersion: document.remote,
            bodyByteCount: UInt64(revision?.body?.count ?? 0))
    }

    private func load(_ query: RevisionQuery) -> LoadedRevision {
        guard let document = documents[query.documentID] else { return .missing }
        let isCurrent = document.current == query.version
        guard isCurrent || query.allowsReplacement, let revision = document.revisions[document.current],
            let body = revision.body
        else { return .obsolete }
        let history = document.history(known: query.knownAncestors, limit: query.maxHistory)
        let sent = query.listsAttachments ? MemoryAttachments.listed(in: body, document.current) : body
        return .found(
            OutgoingRevision(
                version: document.current, history: history,
                isDeleted: revision.isDeleted, body: sent,
                attachments: MemoryAttachments.needs(of: body).map(\.digest)))
    }

    private func reconsider(_ change: LocalChange, _ server: Version?) -> RefusedChangeDecision {
        guard let document = documents[change.documentID] else { return .unnecessary }
        if document.remote == document.current, !change.isReoffered { return .unnecessary }
        if let server, server == document.current {
            documents[change.documentID]?.remote = server
            return .unnecessary
        }
        if document.remote == document.current, let server, document.revisions[server] == nil,
            (server.revisionID?.generation ?? 0) > (document.current.revisionID?.generation ?? 0)
        {
            return .unnecessary
        }
        let ancestors = document.ancestors(of: document.current)
        var again = localChange(change.documentID, document)
        for candidate in [server, document.remote] {
            guard let candidate, candidate != change.remoteVersion, ancestors.contains(candidate) else { continue }
            again.remoteVersion = candidate
            return .propose(again)
        }
        return .conflict
    }

    private func compare(_ row: ChangesRequest.Row) -> AnnouncementDecision {
        guard let document = documents[row.documentID] else { return .wanted(ancestors: []) }
        if document.revisions[row.version] != nil {
            return adopt(row.documentID, row.version) ? .conflict : .known
        }
        let generation = row.version.revisionID?.generation ?? 0
        let known = document.revisions.keys.compactMap(\.revisionID).filter { $0.generation < generation }
        let remote = document.remote?.revisionID
        let others = known.filter { $0 != remote }.sorted { $1 < $0 }
        let first = known.filter { $0 == remote }
        return .wanted(ancestors: (first + others).prefix(10).map { Version($0) })
    }

    private func decide(_ row: ProposeChangesRequest.Row) -> ProposalDecision {
        guard let document = documents[row.documentID] else {
            return row.serverVersion == nil ? .wanted : .conflict(current: nil)
        }
        if document.current == row.version { return .known }
        if document.revisions[row.version] != nil { return .conflict(current: document.current) }
        if document.current == row.serverVersion { return .wanted }
        if row.serverVersion == nil, isDeleted(row.documentID) { return .wanted }
        return .conflict(current: document.current)
    }

    /// Records a stored revision as the remote's current one; says whether that is a conflict.
    ///
    /// The remote may have gone over to another branch. Without unsent changes here, this side goes over too.
    private func adopt(_ id: String, _ revision: Version, isPushed: Bool = false) -> Bool {
        guard var document = documents[id] else { return false }
        if let remote = document.remote, remote != revision {
            // An ancestor of what the remote is known to have is old news.
            if document.ancestors(of: remote).contains(revision) { return false }
            // A push went on top of what the remote had, or over a tombstone: otherwise what the remote is known to have is later news.
            let isOnTop = document.ancestors(of: revision).contains(remote)
            if isPushed, !isOnTop, document.revisions[remote]?.isDeleted != true { return false }
        }
        let isUnchanged = document.current == document.remote
        let isOnLine = document.current == revision || document.ancestors(of: document.current).contains(revision)
        document.remote = revision
        if !isOnLine, isUnchanged {
            lastSequence += 1
            (document.current, document.sequence) = (revision, lastSequence)
        } else if !isOnLine {
            document.conflict = revision
        } else if document.conflict != nil {
            // The remote has gone over to this side's branch.
            lastSequence += 1
            (document.conflict, document.sequence) = (nil, lastSequence)
        }
        documents[id] = document
        onChange()
        return document.conflict == revision
    }

    private func insert(_ revision: IncomingRevision) -> RevisionOutcome {
        guard revision.deltaSource == nil else { return .deltaRefused(reason: "this database keeps whole bodies only") }
        let text = String(decoding: revision.body, as: UTF8.self)
        guard (try? JSONSerialization.jsonObject(with: Data(revision.body))) is [String: Any] else {
            return .refused(status: 400, reason: "the body is not a JSON object")
        }
        if text.contains("\"_removed\"") {
            documents[revision.documentID] = nil
            return .accessRemoved(isPurged: true)
        }
        guard pullFilter(revision) else { return .refused(status: 403, reason: "rejected by filter") }
        let needs = MemoryAttachments.needs(of: revision.body).filter { attachments[$0.digest] == nil }
        guard needs.isEmpty else { return .needsAttachments(needs) }
        return store(revision, MemoryAttachments.stripped(from: revision.body))
    }

    private func store(_ revision: IncomingRevision, _ body: [UInt8]) -> RevisionOutcome {
        guard var document = documents[revision.documentID] else {
            put(
                revision.documentID, revision.version, history: revision.history, isDeleted: revision.isDeleted,
                body: body)
            documents[revision.documentID]?.remote = revision.version
            onChange()
            return .inserted
        }
        if document.revisions[revision.version] != nil {
            return adopt(revision.documentID, revision.version) ? .conflict : .known
        }
        let isDescendant =
            revision.history.contains(document.current)
            || revision.history.contains { document.ancestors(of: $0).contains(document.current) }
        let isResurrection = revision.history.isEmpty && isDeleted(revision.documentID)
        if isDescendant || isResurrection {
            put(
                revision.documentID, revision.version, history: revision.history, isDeleted: revision.isDeleted,
                body: body)
            documents[revision.documentID]?.remote = revision.version
            documents[revision.documentID]?.conflict = nil
            onChange()
            return isDescendant ? .inserted : .resurrected
        }
        if revision.isConflictRefused { return .conflictRefused }
        add(revision.version, revision.history, revision.isDeleted, body, to: &document)
        document.remote = revision.version
        document.conflict = revision.version
        documents[revision.documentID] = document
        return .conflict
    }
}

/// Finds attachments in a document's JSON.
enum MemoryAttachments {
    /// Blobs anywhere in the body, by their JSON pointers.
    static func blobs(in value: Any, at path: String = "") -> [(path: String, blob: [String: Any])] {
        if let object = value as? [String: Any] {
            if object["@type"] as? String == "blob" { return [(path, object)] }
            return object.sorted { $0.key < $1.key }.flatMap { key, value in
                let name = key.replacingOccurrences(of: "~", with: "~0").replacingOccurrences(of: "/", with: "~1")
                return blobs(in: value, at: "\(path)/\(name)")
            }
        }
        guard let array = value as? [Any] else { return [] }
        return array.enumerated().flatMap { blobs(in: $1, at: "\(path)/\($0)") }
    }

    static func needs(of body: [UInt8]) -> [AttachmentNeed] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else { return [] }
        let listed = (object["_attachments"] as? [String: [String: Any]])?.values.map { $0 } ?? []
        return (blobs(in: object).map(\.blob) + listed).compactMap { entry in
            guard let digest = (entry["digest"] as? String).flatMap({ BlobDigest($0) }) else { return nil }
            return AttachmentNeed(
                digest: digest, byteCount: (entry["length"] as? Int).map(UInt64.init),
                isCompressible: (entry["content_type"] as? String)?.hasPrefix("text/") ?? false)
        }
    }

    static func listed(in body: [UInt8], _ revision: Version) -> [UInt8] {
        guard var object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else { return body }
        var entries: [String: Any] = [:]
        for (path, blob) in blobs(in: object) {
            var entry = blob
            entry["@type"] = nil
            entry["stub"] = true
            entry["revpos"] = Int(revision.revisionID?.generation ?? 1)
            entries["blob_" + path] = entry
        }
        guard !entries.isEmpty else { return body }
        object["_attachments"] = entries
        return (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)).map { Array($0) } ?? body
    }

    static func stripped(from body: [UInt8]) -> [UInt8] {
        guard var object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let entries = object["_attachments"] as? [String: Any]
        else { return body }
        let kept = entries.filter { !$0.key.hasPrefix("blob_") }
        object["_attachments"] = kept.isEmpty ? nil : kept
        return (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)).map { Array($0) } ?? body
    }
}
