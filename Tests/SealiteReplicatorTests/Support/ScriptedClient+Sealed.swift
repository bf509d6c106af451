@testable import SealiteProtocolTestSupport
import Foundation
import SealiteBase
import SealiteDatabase
@testable import SealiteProtocol

@testable import SealiteReplicator
import SealiteRevisions

extension ScriptedClient {
    /// Fills a sealed database with what the recorded passive side had when the session began.
    static func seed(_ test: SyncDatabase, _ collections: [Collection], _ recording: Recording) throws {
        let memory = try stores(recording)
        for (store, collection) in zip(memory, collections) {
            for (id, checkpoint) in store.peerCheckpoints {
                let time = test.database.configuration.time.unixSeconds
                try test.database.setLocalValue(
                    store: "peerCheckpoints", name: "\(collection.number)/\(id)",
                    revision: "\(checkpoint.revision) \(time)", value: checkpoint.body)
            }
            let sealed = SealedStore(test, collection, role: .passive)
            for (digest, content) in store.attachments { try sealed.store(content, as: digest) }
            for (id, document) in store.documents.sorted(by: { $0.value.sequence < $1.value.sequence }) {
                guard let revision = document.revisions[document.current] else { continue }
                try test.skipSequences(to: document.sequence, in: collection)
                try test.seed(
                    id, document.current, history: document.ancestors(of: document.current),
                    isDeleted: revision.isDeleted, body: revision.body ?? [], in: collection)
            }
        }
    }
}
