internal import Synchronization

// When a connection is read, and when it isn't: what a peer makes this side hold is bounded, by connection and over all of them.
extension SessionRunner {
    /// Bytes of received revisions beyond what is being inserted at which reading pauses.
    private static var backlogLimit: Int { 8 << 20 }
    /// Bytes of answers that the peer doesn't take at which reading pauses, so that it can't ask for more.
    private static var unreadLimit: Int { 8 << 20 }
    /// Bytes of requests that wait for this side's work at which reading pauses.
    private static var unansweredLimit: Int { 8 << 20 }
    /// What a request takes in tables, beside its own bytes.
    private static var requestOverhead: Int { 512 }

    /// Bytes of requests that this side has yet to answer, and that need nothing more from the peer for it.
    ///
    /// A revision that waits for its attachments isn't among them: they only come while reading goes on.
    private var waitingByteCount: Int {
        let unanswered = multiplexer.unansweredByteCount - session.attachmentWaitByteCount
        return max(unanswered, 0) + multiplexer.unansweredRequestCount * Self.requestOverhead
    }

    /// Whether reading has to pause until something that was received is done with.
    func mustPauseReading() -> Bool {
        countMemory()
        // Answers that can't be sent never will be: reading tells why.
        guard !hasWriterEnded else { return false }
        let waiting = max(waitingByteCount, workByteCount)
        let unread = multiplexer.unsentReplyByteCount
        if session.backlogByteCount > Self.backlogLimit || unread > Self.unreadLimit || waiting > Self.unansweredLimit {
            return true
        }
        guard let memory, memory.isExhausted else { return false }
        return waiting + unread > PeerMemory.reserve
    }

    /// Reads on, if reading was paused and has no longer to be.
    func resumeReader() {
        guard pausedReader != nil else { return countMemory() }
        if mustPauseReading() { waitForMemory() } else { pausedReader.take()?.resume() }
    }

    /// Returns when reading may go on, or the session ends.
    func waitForRoom() async {
        while mustPauseReading(), !isEnded, closing == nil, !hasPeerLeft {
            waitForMemory()
            await withCheckedContinuation { pausedReader = $0 }
        }
    }

    /// Has the reader woken when other connections have freed memory.
    private func waitForMemory() {
        guard let memory, !isWaitingForMemory, memory.isExhausted else { return }
        isWaitingForMemory = true
        memory.whenFree { [weak self] in
            Task { await self?.memoryIsFree() }
        }
    }

    private func memoryIsFree() {
        isWaitingForMemory = false
        if pausedReader != nil { resumeReader() }
    }

    /// Brings the count over all connections up to date, and derives from it how large unfinished messages may become here.
    func countMemory() {
        guard let memory else { return }
        let collected = multiplexer.collectedByteCount
        let waiting = session.attachmentWaitByteCount
        let received = max(multiplexer.unansweredByteCount, session.heldByteCount)
        let held =
            isEnded
            ? 0
            : collected + received + multiplexer.unsentByteCount + workByteCount
                + multiplexer.unansweredRequestCount * Self.requestOverhead
        if held != countedByteCount { memory.add(held - countedByteCount) }
        countedByteCount = held
        // Neither unfinished messages nor revisions that wait for attachments can be waited out by not reading: above the
        // limit they are refused.
        let room = max(2 * PeerMemory.reserve, memory.free + collected + waiting)
        multiplexer.collectedByteLimit = max(0, room - waiting)
    }

    // MARK: - A peer that has left

    /// Ends the work for a peer that is no longer there, although messages of it may still be unread.
    func peerLeft() {
        hasPeerLeft = true
        pausedReader.take()?.resume()
    }
}

/// A flag that is set once, by the session, and read by work that waits in a queue.
final class WorkDrop: Sendable {
    private let state = Mutex(false)
    var isSet: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
