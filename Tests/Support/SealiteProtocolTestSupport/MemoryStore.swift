@testable import SealiteProtocol
import Foundation

/// A database of one collection in memory: documents with revision trees, attachments, checkpoints. It answers
/// `StoreRequest`s as the document database is to answer them.
final class MemoryStore {
    struct Revision {
        let parent: WireRevisionID?
        let isDeleted: Bool
        let body: [UInt8]?
    }

    struct Document {
        var revisions: [WireRevisionID: Revision] = [:]
        var current: WireRevisionID
        var sequence: UInt64
        /// What the remote is known to have.
        var remote: WireRevisionID?
        /// The remote's revision that conflicts with the current one.
        var conflict: WireRevisionID?

        func ancestors(of id: WireRevisionID) -> [WireRevisionID] {
            var ancestors: [WireRevisionID] = []
            var next = revisions[id]?.parent
            while let parent = next {
                ancestors.append(parent)
                next = revisions[parent]?.parent
            }
            return ancestors
        }
    }

    var documents: [String: Document] = [:]
    var attachments: [AttachmentDigest: [UInt8]] = [:]
    var checkpoints: [String: [UInt8]] = [:]
    var peerCheckpoints: [String: GetCheckpointReply] = [:]
    var lastSequence: UInt64 = 0
    /// What the remote refused, by document.
    var refusals: [String: Refusal] = [:]
    var refusalLimit = Int.max
    /// Refuses documents, as a pull filter does.
    var pullFilter: (IncomingRevision) -> Bool = { _ in true }
    /// Makes requests fail.
    var failure: (StoreRequest) -> StoreFailure? = { _ in nil }
    /// Called when something changed.
    var observers: [() -> Void] = []

    /// Makes a local revision and returns its ID.
    @discardableResult
    func save(_ id: String, _ body: String, isDeleted: Bool = false) -> WireRevisionID {
        let parent = documents[id]?.current
        let bytes = Array(body.utf8)
        let input = [UInt8(clamping: parent?.text.utf8.count ?? 0)] + Array((parent?.text ?? "").utf8)
        let digest = TestDigest.sha1(input + [isDeleted ? 1 : 0] + bytes).hex
        let revision = WireRevisionID("\((parent?.generation ?? 0) + 1)-\(digest)")
        put(id, revision, history: parent.map { [$0] } ?? [], isDeleted: isDeleted, body: bytes)
        onChange()
        return revision
    }

    private func onChange() {
        for observer in observers { observer() }
    }

    /// Adds a revision with its history and makes it current.
    func put(
        _ id: String, _ revision: WireRevisionID, history: [WireRevisionID], isDeleted: Bool = false, body: [UInt8]
    ) {
        lastSequence += 1
        var document = documents[id] ?? Document(current: revision, sequence: 0)
        add(revision, history, isDeleted, body, to: &document)
        document.current = revision
        document.sequence = lastSequence
        documents[id] = document
    }

    private func add(
        _ revision: WireRevisionID, _ history: [WireRevisionID], _ isDeleted: Bool, _ body: [UInt8],
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
    func saveAttachment(_ content: [UInt8]) throws -> AttachmentDigest {
        guard let digest = AttachmentDigest("sha1-" + TestDigest.sha1(content).base64) else {
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
            let conflicting = revisions.filter { adopt($0.documentID, $0.revisionID) }
            return .synced(conflicting: conflicting.map(\.documentID))
        case .compare(let rows): return .compared(rows.map(compare))
        case .decide(let rows): return .decided(rows.map(decide))
        case .insert(let revisions, _): return .inserted(revisions.map(insert))
        case .removeAccess(let rows):
            for row in rows { documents[row.documentID] = nil }
            return .accessRemoved(rows.map { _ in true })
        case .loadRefused(let scan): return .changes(refused(scan))
        case .recordRefusals(let new):
            var overflow: UInt64?
            for refusal in new where documents[refusal.change.documentID]?.current == refusal.change.revisionID {
                guard refusals[refusal.change.documentID] != nil || refusals.count < refusalLimit else {
                    overflow = max(overflow ?? 0, refusal.change.sequence)
                    continue
                }
                refusals[refusal.change.documentID] = refusal
                if documents[refusal.change.documentID]?.remote == refusal.change.revisionID {
                    documents[refusal.change.documentID]?.remote = nil
                }
            }
            return .refusalsRecorded(overflow: overflow)
        case .forgetRefusals(let ids):
            for id in ids { refusals[id] = nil }
            return .done
        }
    }

    private func refused(_ scan: ChangeScan) -> ChangePage {
        let changes = refusals.values.filter { documents[$0.change.documentID]?.current == $0.change.revisionID }
            .compactMap { refusal in
                let id = refusal.change.documentID
                return documents[id].map { localChange(id, $0) }
            }
            .filter { $0.remoteRevisionID != $0.revisionID }
        return ChangePage(
            changes: changes.sorted { $0.sequence < $1.sequence }, scannedThrough: scan.after, isEnd: true)
    }

    private func page(_ scan: ChangeScan) -> ChangePage {
        let filter = scan.documentIDs.map { Set($0) }
        let newer = documents.filter { $0.value.sequence > scan.after }.sorted { $0.value.sequence < $1.value.sequence }
        var changes: [LocalChange] = []
        for (index, (id, document)) in newer.enumerated() {
            if filter?.contains(id) == false { continue }
            let isReoffered = document.sequence <= scan.reofferedThrough
            let isKnown = document.remote == document.current && !isReoffered
            if scan.isForPush, isKnown || document.conflict != nil { continue }
            var change = localChange(id, document)
            if isReoffered { (change.isReoffered, change.remoteRevisionID) = (true, nil) }
            if scan.isActiveOnly, change.isDeleted { continue }
            changes.append(change)
            if changes.count == scan.limit {
                return ChangePage(
                    changes: changes, scannedThrough: document.sequence, isEnd: index == newer.count - 1)
            }
        }
        return ChangePage(changes: changes, scannedThrough: newer.last?.value.sequence ?? scan.after, isEnd: true)
    }

    private func localChange(_ id: String, _ document: Document) -> LocalChange {
        let revision = document.revisions[document.current]
        return LocalChange(
            sequence: document.sequence, documentID: id, revisionID: document.current,
            isDeleted: revision?.isDeleted ?? false, remoteRevisionID: document.remote,
            bodyByteCount: UInt64(revision?.body?.count ?? 0))
    }

    private func load(_ query: RevisionQuery) -> LoadedRevision {
        guard let document = documents[query.documentID] else { return .gone(status: 404) }
        let isCurrent = document.current == query.revisionID
        guard isCurrent || query.allowsReplacement, let revision = document.revisions[document.current],
            let body = revision.body
        else { return .gone(status: 410) }
        let history = RevisionHistory.cut(
            document.ancestors(of: document.current), known: query.knownAncestors, limit: query.maxHistory)
        let sent = query.listsAttachments ? MemoryAttachments.listed(in: body, document.current) : body
        return .found(
            OutgoingRevision(
                revisionID: document.current, history: history.map(\.text).joined(separator: ","),
                isDeleted: revision.isDeleted, body: sent,
                attachments: MemoryAttachments.needs(of: body).map(\.digest)))
    }

    private func reconsider(_ change: LocalChange, _ server: WireRevisionID?) -> Reconsideration {
        guard let document = documents[change.documentID] else { return .unnecessary }
        if document.remote == document.current, !change.isReoffered { return .unnecessary }
        if let server, server == document.current {
            documents[change.documentID]?.remote = server
            return .unnecessary
        }
        if document.remote == document.current, let server, document.revisions[server] == nil,
            (server.generation ?? 0) > (document.current.generation ?? 0)
        {
            return .unnecessary
        }
        let ancestors = document.ancestors(of: document.current)
        var again = localChange(change.documentID, document)
        for candidate in [server, document.remote] {
            guard let candidate, candidate != change.remoteRevisionID, ancestors.contains(candidate) else { continue }
            again.remoteRevisionID = candidate
            return .propose(again)
        }
        return .conflict
    }

    private func compare(_ row: ChangesRequest.Row) -> RowDecision {
        guard let document = documents[row.documentID] else { return .wanted(ancestors: []) }
        if document.revisions[row.revisionID] != nil {
            return adopt(row.documentID, row.revisionID) ? .conflicting : .unwanted
        }
        let known = document.revisions.keys.filter { ($0.generation ?? 0) < (row.revisionID.generation ?? 0) }
        let others = known.filter { $0 != document.remote }.sorted { WireRevisionID.treeOrder($1, $0) }
        let first = document.remote.map { [$0] }?.filter(known.contains) ?? []
        return .wanted(ancestors: Array((first + others).prefix(10)))
    }

    private func decide(_ row: ProposeChangesRequest.Row) -> ProposeChangesReply.Item {
        guard let document = documents[row.documentID] else {
            return row.serverRevisionID == nil ? .send : .conflict(current: nil)
        }
        if document.revisions[row.revisionID] != nil { return .known }
        if document.current == row.serverRevisionID { return .send }
        if row.serverRevisionID == nil, isDeleted(row.documentID) { return .send }
        return .conflict(current: document.current)
    }

    /// Records a stored revision as the remote's current one; says whether that is a conflict.
    ///
    /// The remote may have gone over to another branch. Without unsent changes here, this side goes over too.
    private func adopt(_ id: String, _ revision: WireRevisionID) -> Bool {
        guard var document = documents[id] else { return false }
        // An ancestor of what the remote is known to have is old news.
        if let remote = document.remote, document.ancestors(of: remote).contains(revision) { return false }
        let isUnchanged = document.current == document.remote
        let isOnLine = document.current == revision || document.ancestors(of: document.current).contains(revision)
        document.remote = revision
        if !isOnLine, isUnchanged {
            lastSequence += 1
            (document.current, document.sequence) = (revision, lastSequence)
        } else if !isOnLine {
            document.conflict = revision
        }
        documents[id] = document
        onChange()
        return document.conflict == revision
    }

    private func insert(_ revision: IncomingRevision) -> InsertOutcome {
        let text = String(decoding: revision.body, as: UTF8.self)
        guard (try? JSONSerialization.jsonObject(with: Data(revision.body))) is [String: Any] else {
            return .refused(BLIPErrorReply(code: 400, message: "the body is not a JSON object"))
        }
        if text.contains("\"_removed\"") {
            documents[revision.documentID] = nil
            return .accessLost(isPurged: true)
        }
        guard pullFilter(revision) else { return .refused(BLIPErrorReply(code: 403, message: "rejected by filter")) }
        let needs = MemoryAttachments.needs(of: revision.body).filter { attachments[$0.digest] == nil }
        guard needs.isEmpty else { return .needsAttachments(needs) }
        return store(revision, MemoryAttachments.stripped(from: revision.body))
    }

    private func store(_ revision: IncomingRevision, _ body: [UInt8]) -> InsertOutcome {
        guard var document = documents[revision.documentID] else {
            put(
                revision.documentID, revision.revisionID, history: revision.history, isDeleted: revision.isDeleted,
                body: body)
            documents[revision.documentID]?.remote = revision.revisionID
            onChange()
            return .inserted
        }
        if document.revisions[revision.revisionID] != nil {
            return adopt(revision.documentID, revision.revisionID) ? .conflict : .known
        }
        let isDescendant =
            revision.history.contains(document.current)
            || revision.history.contains { document.ancestors(of: $0).contains(document.current) }
        let isResurrection = revision.history.isEmpty && isDeleted(revision.documentID)
        if isDescendant || isResurrection {
            put(
                revision.documentID, revision.revisionID, history: revision.history, isDeleted: revision.isDeleted,
                body: body)
            documents[revision.documentID]?.remote = revision.revisionID
            documents[revision.documentID]?.conflict = nil
            onChange()
            return isDescendant ? .inserted : .resurrected
        }
        if revision.isConflictRefused { return .conflictRefused }
        add(revision.revisionID, revision.history, revision.isDeleted, body, to: &document)
        document.remote = revision.revisionID
        document.conflict = revision.revisionID
        documents[revision.documentID] = document
        return .conflict
    }
}

/// What a document's JSON says of attachments.
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
            guard let digest = (entry["digest"] as? String).flatMap({ AttachmentDigest($0) }) else { return nil }
            return AttachmentNeed(
                digest: digest, byteCount: (entry["length"] as? Int).map(UInt64.init),
                isCompressible: (entry["content_type"] as? String)?.hasPrefix("text/") ?? false)
        }
    }

    static func listed(in body: [UInt8], _ revision: WireRevisionID) -> [UInt8] {
        guard var object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else { return body }
        var entries: [String: Any] = [:]
        for (path, blob) in blobs(in: object) {
            var entry = blob
            entry["@type"] = nil
            entry["stub"] = true
            entry["revpos"] = Int(revision.generation ?? 1)
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
