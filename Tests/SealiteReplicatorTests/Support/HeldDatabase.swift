import SealiteTestSupport
@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTransport
import Foundation
import SealiteDatabase

@testable import SealiteReplicator

/// Keeps a database busy, as a slow disk or a long transaction does: whatever wants to write or read waits until it is released.
final class HeldDatabase: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let threadCount: Int

    init(_ database: Database) {
        let begun = DispatchSemaphore(value: 0)
        let end = end
        let holds: [@Sendable () -> Void] =
            [{ try? database.inBatch { _ = (begun.signal(), end.wait()) } }]
            + [@Sendable () -> Void](repeating: { try? database.read { _ = (begun.signal(), end.wait()) } }, count: 8)
        threadCount = holds.count
        for hold in holds { Thread.detachNewThread { hold() } }
        for _ in 0..<threadCount { _ = begun.wait(timeout: .now() + 5) }
    }

    func release() {
        for _ in 0..<threadCount { end.signal() }
    }

    deinit { release() }
}

/// A peer that sends requests for as long as it is read, and reads no answer.
final class Flood: Sendable {
    let pipe: MessagePipe
    private let sent = Notes<Int>()
    private let task: Task<Void, any Error>

    /// The number of requests that were taken.
    var sentCount: Int { sent.all.count }

    init(_ service: ReplicationService, count: Int, _ request: @escaping @Sendable (Int) -> BLIPOutgoing) {
        let (ours, theirs) = MessagePipe.pair()
        (pipe, task) = (
            ours,
            Task { [sent] in
                let endpoint = try Endpoint()
                for number in 0..<count {
                    endpoint.send(request(number))
                    while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
                    sent.add(number)
                }
            }
        )
        Task { try? await service.serve(theirs) }
    }

    /// Waits until none of some floods goes on.
    static func settled(_ floods: [Flood]) async {
        _ = await SealiteTestSupport.settled { floods.reduce(0) { $0 + $1.sentCount } }
    }

    func cut() { pipe.cut() }
}
