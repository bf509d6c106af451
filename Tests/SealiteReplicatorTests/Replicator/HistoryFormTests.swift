@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
import SealiteDatabase
import SealiteRevisions
import Testing

@testable import SealiteReplicator

@Suite("histories in messages, as real peers write them")
struct HistoryFormTests {
    /// Versions in short: `V` is the current one, `A` to `D` are others, each of a source of its own; `W` is an earlier
    /// one of the current one's source.
    private static func expanded(_ text: String) -> String {
        var text = text
        for (index, letter) in ["A", "B", "C", "D", "W", "V"].enumerated() {
            let source = index < 4 ? "\(letter)QIDBAUGBwgJCgsMDQ4PEA" : "EQIDBAUGBwgJCgsMDQ4PEA"
            text = text.replacing(letter.lowercased() + "!", with: "180000000000000\(index + 1)@\(source)")
        }
        return text
    }

    /// Sends revisions with these histories, each of a document of its own, to a passive session, and returns the
    /// status of each reply, 0 for none.
    private func push(_ histories: [String], to server: SyncDatabase) throws -> [Int] {
        let passive = try SessionNode(
            PassiveSession(.init(collections: ["_default"], hasVectors: true)),
            [SealedStore(server, server.collection, role: .passive)])
        let peer = try Endpoint()
        var codes: [BLIPTicket: Int] = [:]
        let tickets = histories.enumerated().map { index, history in
            var properties: BLIPProperties = [
                "Profile": "rev", "id": "\(index)", "rev": Self.expanded("v!"), "noconflicts": "true",
            ]
            if !history.isEmpty { properties["history"] = Self.expanded(history) }
            return peer.send(BLIPOutgoing(properties, body: Array("{}".utf8)))
        }
        while true {
            if let frame = try peer.nextFrame() {
                try passive.receive(frame)
            } else if let frame = try passive.endpoint.nextFrame() {
                for case .reply(let reply, let ticket) in try peer.receive(frame) {
                    codes[ticket] = reply.error?.code ?? 0
                }
            } else if !passive.work(), !passive.wake() {
                break
            }
        }
        return tickets.map { codes[$0] ?? -1 }
    }

    @Test("each form is stored, and its document is sent on with the same history")
    func stored() throws {
        let server = try SyncDatabase(versioning: .vectors)
        let forms = [
            "", "a!", "a!,b!", "a!, b!, c!", "w!,a!;", "w!,a!;b!", "w!, a!; b!, 2-bb", "w!,a!;,3-cc,2-bb,1-aa",
            "3-cc,2-bb,1-aa", "a!,2-bb,1-aa", "a!,4-dd,3-cc,2-bb,1-aa",
        ]
        #expect(try push(forms, to: server) == forms.map { _ in 0 })
        let view = ReplicatedCollection(collection: server.collection, remote: nil)
        for (index, form) in forms.enumerated() {
            let query = RevisionQuery(
                documentID: "\(index)", version: Version(Self.expanded("v!")), maxHistory: 50)
            guard case .found(let sent) = try view.revision(query) else {
                Issue.record("\(form) isn't stored")
                continue
            }
            let history = sent.history.map(\.text).joined(separator: ",")
            let (again, first) = try (
                VersionHistory(version: sent.version.text, history: history),
                VersionHistory(version: Self.expanded("v!"), history: Self.expanded(form))
            )
            #expect(again == first && sent.version.text == Self.expanded("v!"), "\(form)")
        }
        #expect(try server.findings.isEmpty)
    }

    @Test("what is like one of them and isn't one is refused with 400, and nothing of it is stored")
    func refused() throws {
        let server = try SyncDatabase(versioning: .vectors)
        let forms = [
            ";", ",", ";,3-cc", ",3-cc", "a!;,", "a!,b!;,,3-cc", "a!,b!;;3-cc", "a!,b!;,c!", "a!,b!;,3-cc,c!",
            "a!,b!;,3-cc;", "3-cc,a!", "3-cc,,2-bb", "a!,b!;,3-", "v!", "a!,a!", "a!,b!;a!",
        ]
        #expect(try push(forms, to: server) == forms.map { _ in 400 })
        #expect(try server.revisions.isEmpty)
    }
}
