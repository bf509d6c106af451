import SealiteRevisions

@testable import SealiteProtocol

/// The requested actions of a session's part, by kind: tests perform them by hand, without a connection or a database.
extension [SessionAction] {
    /// The requests that were sent with a profile and want a reply, with the tasks that wait for it.
    func sent(_ profile: Profile) -> [(message: BLIPOutgoing, task: TaskID)] {
        compactMap { action in
            guard case .send(let message, let task) = action, message.properties["Profile"] == profile.rawValue else {
                return nil
            }
            return (message, task)
        }
    }

    /// The requests to the database, with the tasks that wait for their results.
    var stores: [(request: StoreRequest, task: TaskID)] {
        compactMap { if case .store(let request, _, let task) = $0 { (request, task) } else { nil } }
    }

    /// The searches for local changes.
    var scans: [(scan: ChangeScan, task: TaskID)] {
        stores.compactMap { if case .scan(let scan) = $0.request { (scan, $0.task) } else { nil } }
    }

    /// The attachments to be fetched.
    var fetches: [(request: GetAttachmentRequest, task: TaskID)] {
        compactMap { if case .fetchAttachment(let request, _, _, let task) = $0 { (request, task) } else { nil } }
    }

    /// The numbers of requests that were answered, without an error.
    var replied: [UInt64] { compactMap { if case .reply(let number, _) = $0 { number } else { nil } } }

    /// The numbers of requests that were refused, with the codes.
    var refused: [UInt64: Int] {
        reduce(into: [:]) { found, action in
            if case .refuse(let number, let error) = action { found[number] = error.code }
        }
    }

    /// The documents that were reported.
    var reported: [DocumentEvent] {
        flatMap { action -> [DocumentEvent] in if case .documents(let events) = action { events } else { [] } }
    }
}

extension BLIPReply {
    /// A reply with a JSON body.
    init(json: String) { self.init(body: Array(json.utf8)) }

    /// A reply with an error of HTTP.
    init(status: Int) { self.init(error: BLIPErrorReply(code: status)) }
}

extension LocalChange {
    /// The change of the document that has the sequence as its name.
    init(_ sequence: UInt64, remote: String? = nil, byteCount: UInt64 = 10) {
        self.init(
            sequence: sequence, documentID: "\(sequence)", version: Version("\(remote == nil ? 1 : 2)-aa"),
            isDeleted: false, remoteVersion: remote.map { Version($0) }, bodyByteCount: byteCount)
    }
}
