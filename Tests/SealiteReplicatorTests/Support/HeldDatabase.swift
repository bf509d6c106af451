import SealiteBase
import SealiteTestSupport
@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTransport
import Foundation
import SealiteDatabase
import Testing

@testable import SealiteReplicator

/// Keeps a database busy, as a slow disk or a long transaction does: whatever wants to write or read waits until it is released.
final class HeldDatabase: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let threadCount: Int

    /// Returns when the writer and all connections for reading are held.
    init(_ database: Database) {
        let begun = Notes<Void>()
        let end = end
        let waiting: @Sendable () -> Void = {
            begun.add(())
            end.wait()
        }
        let readerCount = database.configuration.readerCount
        // Twice as many as there are connections: one may come behind a read that is under way.
        let holds: [@Sendable () -> Void] =
            [{ try? database.inBatch { waiting() } }]
            + [@Sendable () -> Void](repeating: { try? database.read { waiting() } }, count: 2 * readerCount)
        threadCount = holds.count
        for hold in holds { Thread.detachNewThread { hold() } }
        eventuallyBlocking("a held database") { begun.all.count >= 1 + readerCount }
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
    private let mayGoOn: WaitableState<Bool>
    private let task: Task<Void, any Error>

    /// The number of requests that were taken.
    var sentCount: Int { sent.all.count }

    /// Begins to send; with `waits` only the first request, until `goOn()` is called.
    init(
        _ service: ReplicationService, count: Int, waits: Bool = false,
        _ request: @escaping @Sendable (Int) -> BLIPOutgoing
    ) {
        let (ours, theirs) = MessagePipe.pair()
        let mayGoOn = WaitableState(!waits)
        self.mayGoOn = mayGoOn
        (pipe, task) = (
            ours,
            Task { [sent] in
                let endpoint = try Endpoint()
                for number in 0..<count {
                    endpoint.send(request(number))
                    while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
                    sent.add(number)
                    await mayGoOn.waitThroughCancellation { $0 }
                }
            }
        )
        Task { try? await service.serve(theirs) }
    }

    /// Waits until none of some floods goes on.
    static func settled(_ floods: [Flood]) async {
        _ = await SealiteTestSupport.settled { floods.reduce(0) { $0 + $1.sentCount } }
    }

    func goOn() { mayGoOn.change { $0 = true } }

    /// Waits until all is sent, or the connection has ended.
    func ended() async { _ = await task.result }

    func cut() { pipe.cut() }
}
