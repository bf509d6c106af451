internal import GRDB
internal import SealiteRevisions

// The source id of a database whose file may have been replaced by an older copy of itself
// (Documentation/DocumentFormat.md §4.3).
extension Database {
    /// Returns the text of the source id with which the database writes versions; nil in a database of revision trees.
    /// A file that is a copy gets a new one first.
    package func versionSource() throws -> String? {
        guard versioning == .vectors else { return nil }
        // Usually nothing has to be written, so that a session begins without a wait for another writer.
        if let place = configuration.sourcePlace(opener.path),
            let source = try reading({ try VersionStamp.stored(place, in: $0) })
        {
            return source.description
        }
        return try writer.perform(self) { try $0.withVersionStamp { $0.source.description } }
    }

    /// Replaces the database's source id if it is `text`, because another state of the file has written versions with it
    /// that this one doesn't know.
    ///
    /// A document's version of this source may be later than one that the remote has from the other state, and would
    /// count as its successor. Therefore documents whose current version is of this source, unless the remote has that
    /// version, get a version of the new source, and their vectors only the version of the former source that the remote
    /// is known to have: where the remote has another one by now, this is a conflict.
    ///
    /// - Parameters:
    ///   - text: the text of the former source id.
    ///   - remote: the number of the remote.
    /// - Returns: the text of the source id with which versions are written now.
    /// - Throws: errors from reading and writing.
    package func startNewSource(replacing text: String, unknownTo remote: Int) throws -> String {
        let all = try scopes().flatMap { try collections(scope: $0.name) }
        return try writer.perform(self) { transaction in
            let former = try transaction.withVersionStamp { $0.source }
            guard former.description == text else { return former.description }
            try transaction.renewSource()
            let new = try transaction.withVersionStamp { $0.source }
            // A file whose place is unknown has a source id of the process, which no other state of the file can have.
            guard new != former else { return new.description }
            for collection in all {
                for id in try collection.ids(writtenBy: former, transaction.connection) {
                    try transaction.renew(id, without: former, unknownTo: remote, in: collection)
                }
            }
            return new.description
        }
    }
}

extension Collection {
    /// Returns the ids of the documents and tombstones whose current version is of a source.
    fileprivate func ids(writtenBy source: SourceID, _ connection: GRDB.Database) throws -> [String] {
        // A stored version is the byte 1, eight bytes of time, and the source.
        try connection.rows(
            "SELECT id FROM \(sql.table) WHERE substr(revision, 10) = ?1 ORDER BY sequence", source.bytes
        ) { $0.text(at: 0) }
    }

    /// Returns the two sides of a document's conflict, the local current revision and the remote's; either may be a
    /// tombstone. Nil if the document has no conflict.
    package func conflict(id: String) throws -> (local: Document, remote: Document)? {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }),
            let index = record.tree.conflicts.first
        else { return nil }
        let node = record.tree.nodes[index]
        let remote = Document(
            id: id, collection: self, sequence: record.sequence, flags: node.flags.contains(.deleted) ? .deleted : [],
            revision: node.id, body: node.body ?? Document.emptyBody)
        return (record.current(id, in: self), remote)
    }
}

extension Transaction {
    fileprivate func renew(
        _ id: String, without former: SourceID, unknownTo remote: Int, in collection: Collection
    ) throws {
        guard var record = try collection.revisionRecord(id, connection), let vector = record.tree.history(at: 0).vector
        else { return }
        let known = record.tree.remotes[remote]
        guard known != 0 else { return }
        let time = known.flatMap { record.tree.history(at: $0).vector?.time(of: former) }
        let mine = record.tree.history(at: 0)
        let version = try withVersionStamp { try $0.next(after: mine) }
        let history = VersionHistory(
            vector.renewed(as: version, without: former, after: time), revisions: mine.revisions)
        let body = record.currentBody
        record.tree.advance(
            to: history, id: RevisionID(version), flags: record.tree.current.flags)
        _ = try save(record, id: id, body: body, in: collection)
    }
}
