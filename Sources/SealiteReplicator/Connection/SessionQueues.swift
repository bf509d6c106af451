internal import SealiteFile
internal import Synchronization

/// The queues on which a session's requests to the database are performed, each in order.
struct SessionQueues: Sendable {
    let reading: Offload
    let writing: Offload

    /// Creates queues for one session.
    init() { self.init(reading: Offload("replicator.reading"), writing: Offload("replicator.writing")) }

    fileprivate init(reading: Offload, writing: Offload) { (self.reading, self.writing) = (reading, writing) }
}

/// The queues of a service's sessions, of which several share one.
///
/// A database has one writer and few readers. With queues of their own, hundreds of sessions would have a waiting thread
/// each, with its stack and its share of the heap, and above the system's limit on threads reading would wait for writing.
final class SharedQueues: Sendable {
    private let reading: [Offload]
    private let writing: [Offload]
    private let nextIndex = Atomic<Int>(0)

    /// Creates queues: as many for reading as the database has readers, and enough for writing that revisions are parsed
    /// while others are stored.
    init(readerCount: Int, processorCount: Int) {
        reading = (0..<max(2, readerCount)).map { _ in Offload("listener.reading") }
        writing = (0..<max(2, processorCount)).map { _ in Offload("listener.writing") }
    }

    /// Returns the queues for the next session.
    func next() -> SessionQueues {
        let index = nextIndex.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max
        return SessionQueues(reading: reading[index % reading.count], writing: writing[index % writing.count])
    }
}
