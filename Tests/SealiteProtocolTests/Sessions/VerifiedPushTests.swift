import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

@Suite("what a peer accepted that had it before")
struct VerifiedPushTests {
    /// Proposes document 1 to a peer that wants it, and sends it, and returns what follows the peer's acceptance.
    private func accepted(
        _ driven: inout DrivenPusher, isReoffered: Bool, remoteVersion: Version? = nil
    ) throws -> [SessionAction] {
        var change = LocalChange(1)
        change.remoteVersion = remoteVersion
        change.isReoffered = isReoffered
        let loads = try driven.propose([change], answer: "[0]").stores
        let load = try #require(loads.first { if case .loadRevisions = $0.request { true } else { false } })
        let revision = OutgoingRevision(
            version: change.version, history: [], isDeleted: false, body: Array("{}".utf8))
        let sent = driven.finish(load.task, .store(.revisions([.found(revision)]))).sent(.rev)
        return driven.finish(try #require(sent.first).task, .reply(BLIPReply()))
    }

    @Test(
        "a revision that is offered again counts as pushed when the peer has it",
        arguments: ["[304]", "[409]", "[403]"])
    func verified(_ answer: String) throws {
        var driven = DrivenPusher()
        let actions = try accepted(&driven, isReoffered: true)
        let list = try #require(actions.sent(.proposeChanges).first)
        #expect(actions.reported.isEmpty && driven.pusher.isBusy && driven.pusher.progress.outcomes.pushed == 0)
        #expect(driven.checkpoint.completed.isEmpty)
        let end = driven.finish(list.task, .reply(BLIPReply(json: answer)))
        #expect(end.reported.map(\.error) == [nil] && driven.pusher.progress.outcomes.pushed == 1)
        #expect(
            end.stores.map(\.request) == [
                .markSynced([SyncedRevision(documentID: "1", version: Version("1-aa"), isFirst: true)])
            ])
        #expect(driven.checkpoint.completed.contains(1))
    }

    /// A Sync Gateway wants a version that it has if the proposal names the tree revision that it made for the version.
    @Test("the second proposal names no revision to replace")
    func namesNone() throws {
        var driven = DrivenPusher()
        let list = try #require(
            try accepted(&driven, isReoffered: true, remoteVersion: Version("1-bb")).sent(.proposeChanges).first)
        let rows = String(decoding: list.message.body, as: UTF8.self)
        #expect(rows.contains("1-aa") && !rows.contains("1-bb"))
    }

    @Test(
        "a verified revision that the peer still wants is a refusal, as if it had been refused",
        arguments: ["[0]", "[201]", "[]"])
    func dropped(_ answer: String) throws {
        var driven = DrivenPusher()
        let list = try #require(try accepted(&driven, isReoffered: true).sent(.proposeChanges).first)
        let end = driven.finish(list.task, .reply(BLIPReply(json: answer)))
        #expect(end.reported.map(\.error?.code) == [.http(404)] && driven.pusher.progress.outcomes.pushed == 0)
        // It is stored before the checkpoint passes the document.
        let record = try #require(end.stores.first)
        guard case .recordRefusals(let refusals) = record.request else {
            Issue.record("\(end.stores)")
            return
        }
        #expect(refusals.map(\.code) == [404] && driven.checkpoint.completed.isEmpty)
        _ = driven.finish(record.task, .store(.refusalsRecorded(left: [])))
        #expect(driven.checkpoint.completed.contains(1) && !driven.pusher.isBusy && driven.failures.isEmpty)
    }

    @Test("a revision of a usual push needs no second proposal")
    func usual() throws {
        var driven = DrivenPusher()
        let actions = try accepted(&driven, isReoffered: false)
        #expect(actions.sent(.proposeChanges).isEmpty && actions.reported.map(\.error) == [nil])
        #expect(driven.checkpoint.completed.contains(1))
    }

    @Test("an error instead of the answer ends the session, and nothing counts as pushed")
    func failed() throws {
        var driven = DrivenPusher()
        let list = try #require(try accepted(&driven, isReoffered: true).sent(.proposeChanges).first)
        _ = driven.finish(list.task, .reply(BLIPReply(status: 500)))
        #expect(driven.failures == [SessionError(.http(500), "")] && driven.checkpoint.completed.isEmpty)
    }
}
