import SealiteDatabase
import SealiteRevisions
import Synchronization
import Testing

@testable import SealiteProtocol
@testable import SealiteReplicator

@Suite("the sessions that a selection is told of")
struct OfferedSessionTests {
    /// Selects all documents but withdrawn ones, and withdraws one while it is told of a session.
    private final class Withdrawing: DocumentSelection {
        let name = "test"
        private let state = Mutex((begun: 0, withdrawn: Set<String>()))

        var begun: Int { state.withLock { $0.begun } }

        func selects(_ ids: [String]) -> [Bool] {
            state.withLock { state in ids.map { !state.withdrawn.contains($0) } }
        }
        func beginSession() -> any Sendable {
            state.withLock { state in
                state.begun += 1
                state.withdrawn = ["withdrawn"]
            }
            return 0
        }
        func incoming(_ id: String, _ json: [UInt8], isDeleted: Bool) -> [UInt8]? { json }
        func outgoing(_ id: String, _ json: [UInt8], isDeleted: Bool, isDelta: Bool) -> [UInt8] { json }
        func remoteForm(_ id: String, _ json: [UInt8]) -> [UInt8] { json }
        func refused(_ refusals: [Refusal]) {}
        func lostAccess(_ id: String) -> Bool { false }
    }

    private let test: SyncDatabase
    private let selection = Withdrawing()
    private let store: CollectionStore

    init() throws {
        test = try SyncDatabase()
        store = CollectionStore(
            collection: test.collection, role: .active(remote: try test.database.remoteNumber("ws://127.0.0.1/db")),
            selection: selection)
    }

    private func offered(after sequence: UInt64 = 0) -> [String]? {
        let scan = ChangeScan(after: sequence, limit: 10, documentIDs: nil, isForPush: true)
        guard case .changes(let page) = store.perform(.scan(scan)) else { return nil }
        return page.changes.map(\.documentID)
    }

    @Test("a selection isn't told of a session that offers nothing, and of another once")
    func once() throws {
        #expect(offered() == [])
        #expect(selection.begun == 0)
        try test.save("a", "{}")
        #expect(offered() == ["a"])
        #expect(offered() == ["a"])
        #expect(selection.begun == 1)
    }

    @Test("a document that is withdrawn before the session is recorded isn't offered")
    func withdrawn() throws {
        try test.save("a", "{}")
        try test.save("withdrawn", "{}")
        #expect(offered() == ["a"])
        #expect(selection.begun == 1)
    }
}
