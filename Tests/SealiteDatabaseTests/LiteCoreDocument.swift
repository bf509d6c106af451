import SealiteRevisions
import Testing

@testable import SealiteDatabase

/// A document in a Couchbase Lite Core 4 with version vectors, as that decides on revisions (`VectorDocument.cc` and
/// `VersionVectorWithLegacy.hh` of release 4.0.4, in words of our own).
///
/// It keeps the one tree revision that the first version of the document replaced. A version that is newer is a conflict
/// nevertheless, unless the history that comes with it begins its tree ids with that same revision, or has none where
/// none is kept.
struct LiteCoreDocument {
    enum Outcome: Equatable { case stored, known, conflict }

    private(set) var vector: VersionVector?
    /// The revision of a tree that is current, and its ancestors, newest first; empty with a vector.
    private(set) var revisions: [RevisionID] = []
    private(set) var lastTreeID: RevisionID?
    private(set) var value = 0

    var isEmpty: Bool { vector == nil && revisions.isEmpty }

    var version: String { vector?.current.description ?? revisions.first?.description ?? "" }

    /// The history that is sent with the version.
    var history: String {
        guard let vector else { return revisions.dropFirst().map(\.description).joined(separator: ",") }
        return VersionHistory(vector, revisions: lastTreeID.map { [$0] } ?? []).historyText
    }

    mutating func edit(_ version: SourceVersion, to value: Int) {
        if vector == nil { lastTreeID = revisions.first }
        (vector, revisions, self.value) = (vector?.changed(to: version) ?? VersionVector(version), [], value)
    }

    /// An edit before the upgrade to version vectors.
    mutating func editTree(_ digest: Int, to value: Int) throws {
        let generation = (revisions.first?.generation ?? 0) + 1
        revisions.insert(try #require(RevisionID("\(generation)-\(String(digest + 0x1000, radix: 16))")), at: 0)
        self.value = value
    }

    mutating func receive(_ version: String, _ history: String, value: Int) throws -> Outcome {
        let incoming = try VersionHistory(version: version, history: history)
        guard !isEmpty else {
            store(incoming, value)
            return .stored
        }
        let mine = vector == nil ? revisions.prefix(1) : (lastTreeID.map { [$0] } ?? [])[...]
        switch (vector, incoming.vector) {
        case (nil, nil):
            if incoming.revisions.first == mine.first { return .known }
            guard mine.contains(where: incoming.revisions.contains) else { return .conflict }
        case (nil, _): guard mine.contains(where: incoming.revisions.contains) else { return .conflict }
        case (_, nil): return .conflict
        case (let own?, let theirs?):
            switch theirs.order(to: own) {
            case .same: return .known
            case .newer: guard incoming.revisions.first == mine.first else { return .conflict }
            case .older, .conflicting: return .conflict
            }
        }
        store(incoming, value)
        return .stored
    }

    private mutating func store(_ incoming: VersionHistory, _ value: Int) {
        if vector == nil, incoming.vector != nil { lastTreeID = revisions.first }
        (vector, self.value) = (incoming.vector, value)
        revisions = incoming.vector == nil ? incoming.revisions : []
    }
}
