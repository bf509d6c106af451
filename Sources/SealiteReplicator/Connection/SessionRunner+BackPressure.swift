internal import SealiteConcurrency
internal import SealiteProtocol
internal import SealiteTransport
internal import Synchronization

// When a connection is read, and when it isn't: what a peer makes this side hold is bounded, by connection and over all of them.
extension SessionRunner {
    /// Bytes of received revisions beyond what is being inserted at which reading pauses.
    private static var backlogLimit: Int { 8 << 20 }
    /// Bytes of answers that the peer doesn't take at which reading pauses, so that it can't ask for more.
    private static var unreadLimit: Int { 8 << 20 }
    /// Bytes of requests that wait for this side's work at which reading pauses.
    private static var unansweredLimit: Int { 8 << 20 }
    /// The bytes that a message to be sent takes in tables, beside its own: an empty answer has one.
    private static var messageOverhead: Int { 256 }

    /// Bytes of requests that this side has yet to answer, with their tables.
    private var unansweredByteCount: Int {
        multiplexer.unansweredByteCount + multiplexer.unansweredRequestCount * RevisionReceiver.Item.overhead
    }

    /// Bytes that the peer hasn't taken, with their tables: answers, and where it decides how often this side begins anew, all.
    private var unreadByteCount: Int {
        let bytes =
            Session.dropsWorkOfEndedConnections ? multiplexer.unsentByteCount : multiplexer.unsentReplyByteCount
        return bytes + multiplexer.unsentMessageCount * Self.messageOverhead
    }

    /// A Boolean value that says whether requests are refused: reading goes on above the limit only where every answer waits for
    /// the peer to acknowledge what was sent of it.
    var refusesRequests: Bool {
        Session.dropsWorkOfEndedConnections && multiplexer.unsentReplyByteCount > Self.unreadLimit
    }

    /// Returns whether reading has to pause until something that was received is done with.
    func mustPauseReading() -> Bool {
        countMemory()
        // Answers that can't be sent never will be: reading tells why.
        guard !hasWriterEnded else { return false }
        let received = session.received
        // Only what comes to its end without another word of the peer may keep it from being read: not revisions that wait for
        // attachments, nor messages that wait for an acknowledgement.
        let unanswered = max(0, unansweredByteCount - received.incompleteUnanswered)
        let waiting = max(unanswered, workByteCount, received.queued) + pieceByteCount
        let unread = multiplexer.canSend ? unreadByteCount : 0
        if received.backlog > Self.backlogLimit || unread > Self.unreadLimit
            || max(unanswered, workByteCount, pieceByteCount) > Self.unansweredLimit
        {
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
        guard let memory, memoryWait == nil, !isEnded, memory.isExhausted else { return }
        memoryWait = memory.whenFree { [weak self] in
            Task { await self?.memoryIsFree() }
        }
    }

    private func memoryIsFree() {
        memoryWait = nil
        if pausedReader != nil { resumeReader() }
    }

    /// Brings the count over all connections up to date, and derives from it how large unfinished messages may become here.
    func countMemory() {
        guard let memory else { return }
        let collected = multiplexer.collectedByteCount
        let received = session.received
        let unsent = multiplexer.unsentByteCount + multiplexer.unsentMessageCount * Self.messageOverhead
        let held =
            isEnded
            ? 0 : collected + unansweredByteCount + received.uncounted + unsent + workByteCount + pieceByteCount
        if held != countedByteCount { memory.add(held - countedByteCount) }
        countedByteCount = held
        // Neither unfinished messages nor revisions that wait for attachments can be waited out by not reading: above the
        // limit they are refused.
        multiplexer.collectedByteLimit = memory.roomForMessages(collected: collected, counted: held)
        session.limitAttachmentWait(to: memory.roomForAttachmentWaits(received.incomplete))
    }

    /// Derives anew how large unfinished messages may become, before a frame is taken: others may have filled the memory.
    func checkRoom() {
        guard let memory else { return }
        multiplexer.collectedByteLimit = memory.roomForMessages(
            collected: multiplexer.collectedByteCount, counted: countedByteCount)
    }

    // MARK: - A peer that stands still

    /// Ends the session of a peer that neither goes on nor leaves, so that what it holds is free again.
    func guardAgainstStalls() async {
        guard memory != nil else { return }
        while !isEnded, closing == nil {
            // Whoever is read no more has yet to do something only if it is to take what was sent.
            let isRead = pausedReader == nil
            let waits: [StallWatch.Wait?] = [
                isSending ? StallWatch.Wait(kind: .sending, progress: sentBatchCount) : nil,
                isRead && multiplexer.isPaused
                    ? StallWatch.Wait(kind: .acknowledgement, progress: multiplexer.acknowledgementCount) : nil,
                isRead && !fetches.isEmpty && pieceByteCount == 0
                    ? StallWatch.Wait(kind: .attachment, progress: receivedPieceCount) : nil,
            ]
            if stalls.look(waits.compactMap { $0 }, at: time.now) {
                close(4_001, SessionError(.http(408), "the peer stands still"))
                // Messages before it would wait for the peer as well.
                return await connection.close(code: 4_001, reason: "")
            }
            do { try await time.sleep(for: stalls.interval) } catch { return }
        }
    }

    // MARK: - A peer that has left

    /// Ends the work for a peer that is no longer there, although messages of it may still be unread.
    func peerLeft() {
        hasPeerLeft = true
        pausedReader.take()?.resume()
    }
}

extension BLIPErrorReply {
    /// The answer to a request of a peer that acknowledges nothing of the answers before.
    static let unacknowledged = BLIPErrorReply(code: 503, message: "too many answers aren't acknowledged")
}

/// A flag that is set once, by the session, and read by work that waits in a queue.
final class WorkDrop: Sendable {
    private let state = Mutex(false)
    var isSet: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
