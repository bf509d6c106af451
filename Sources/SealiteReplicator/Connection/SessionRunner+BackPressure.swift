internal import SealiteBase
internal import SealiteProtocol
internal import SealiteTransport

// Back pressure: pausing reads bounds the memory that a peer makes this side use, for each connection and for all
// together.
extension SessionRunner {
    /// The number of bytes of received revisions, beyond those being inserted, above which reading pauses.
    private static var backlogLimit: Int { 8 << 20 }
    /// The number of bytes of messages that the peer hasn't read above which this side reads no further messages of the
    /// peer, or refuses its requests.
    private static var unreadLimit: Int { 8 << 20 }
    /// The number of bytes of unanswered requests, of requests to the database, or of unwritten content of attachments,
    /// above which reading pauses.
    private static var unansweredLimit: Int { 8 << 20 }
    /// The memory for an outgoing message in tables, in bytes, in addition to its own bytes: as much as an empty reply
    /// uses.
    private static var messageOverhead: Int { 256 }

    /// The number of bytes of requests that this side hasn't answered, with the memory for the requests in tables.
    private var unansweredByteCount: Int {
        multiplexer.unansweredByteCount + multiplexer.unansweredRequestCount * RevisionReceiver.Item.overhead
    }

    /// The number of bytes that the peer hasn't read yet, with the memory for their messages in tables. On the active
    /// side these are the bytes of unsent replies; on the passive side, where the peer also determines how many
    /// requests this side sends, those of all unsent messages.
    private var unreadByteCount: Int {
        let bytes =
            Session.dropsWorkOfEndedConnections ? multiplexer.unsentByteCount : multiplexer.unsentReplyByteCount
        return bytes + multiplexer.unsentMessageCount * Self.messageOverhead
    }

    /// A Boolean value that says whether requests of the peer are refused because too many bytes of replies are unsent;
    /// always false on the active side. Reading continues above the limit only if every reply waits for the peer's
    /// acknowledgement.
    var refusesRequests: Bool {
        Session.dropsWorkOfEndedConnections && multiplexer.unsentReplyByteCount > Self.unreadLimit
    }

    /// Counts the memory in use, and returns whether reading must pause: until received messages are processed, the
    /// peer has read replies, or other connections have freed memory.
    func mustPauseReading() -> Bool {
        countMemory()
        // The writer has ended because the connection has failed, so waiting replies will never be sent. Reading goes
        // on until it reports the error.
        guard !hasWriterEnded else { return false }
        let received = session.received
        // Reading may be paused only for work that completes without another message of the peer, which excludes
        // revisions that wait for attachments and messages that wait for an acknowledgement.
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

    /// Resumes reading if it was paused and no longer needs to be.
    func resumeReader() {
        guard pausedReader != nil else { return countMemory() }
        if mustPauseReading() { waitForMemory() } else { pausedReader.take()?.resume() }
    }

    /// Waits until reading may continue, the session ends, or the peer has disconnected.
    func waitForRoom() async {
        while mustPauseReading(), !isEnded, closing == nil, !hasPeerLeft {
            waitForMemory()
            precondition(pausedReader == nil, "a connection has one reader")
            await withCheckedContinuation { pausedReader = $0 }
        }
    }

    /// If the memory of all connections is exhausted, registers to resume reading when there is room again.
    private func waitForMemory() {
        guard let memory, memoryWait == nil, !isEnded, memory.isExhausted else { return }
        memoryWait = memory.whenFree { [weak self] in
            Task { await self?.memoryIsFree() }
        }
    }

    private func memoryIsFree() {
        memoryWait = nil
        assert(memory != nil, "only the side that accepts waits for memory")
        if pausedReader != nil { resumeReader() }
    }

    /// Updates the count of the memory of all connections, and derives from it how many bytes this connection's
    /// unfinished messages, and its revisions that wait for attachments, may have. Does nothing on the active side.
    func countMemory() {
        guard let memory else { return }
        assert(workByteCount >= 0 && pieceByteCount >= 0 && multiplexer.collectedByteCount >= 0)
        let collected = multiplexer.collectedByteCount
        let received = session.received
        let unsent = multiplexer.unsentByteCount + multiplexer.unsentMessageCount * Self.messageOverhead
        let held =
            isEnded
            ? 0 : collected + unansweredByteCount + received.uncounted + unsent + workByteCount + pieceByteCount
        assert(held >= 0 && countedByteCount >= 0)
        if held != countedByteCount { memory.add(held - countedByteCount) }
        countedByteCount = held
        // Pausing reads doesn't reduce unfinished messages or revisions that wait for attachments: above the limit they
        // are refused.
        multiplexer.collectedByteLimit = memory.roomForMessages(collected: collected, counted: held)
        session.limitAttachmentWait(to: memory.roomForAttachmentWaits(received.incomplete))
    }

    /// Determines the permitted size of unfinished messages again before a frame is processed, since other connections
    /// may have used memory meanwhile.
    func checkRoom() {
        guard let memory else { return }
        multiplexer.collectedByteLimit = memory.roomForMessages(
            collected: multiplexer.collectedByteCount, counted: countedByteCount)
    }

    // MARK: - Stalled peers

    /// Watches the session until it ends, and closes it if the peer neither makes progress nor disconnects, so that its
    /// memory is freed. Does nothing on the active side.
    func guardAgainstStalls() async {
        guard memory != nil else { return }
        while !isEnded, closing == nil {
            // While reading is paused, the peer is only expected to read the messages that were sent to it.
            let isRead = pausedReader == nil
            let waits: [StallWatch.Wait?] = [
                isSending ? StallWatch.Wait(kind: .sending, progress: sentBatchCount) : nil,
                isRead && multiplexer.isPaused
                    ? StallWatch.Wait(kind: .acknowledgement, progress: multiplexer.acknowledgementCount) : nil,
                isRead && !fetches.isEmpty && pieceByteCount == 0
                    ? StallWatch.Wait(kind: .attachment, progress: receivedPieceCount) : nil,
            ]
            if stalls.look(waits.compactMap { $0 }, at: time.now) {
                close(4_001, SessionError(.http(408), "the peer made no progress for \(stalls.limit)"))
                // The close frame is sent without the queued messages, which would wait for the peer too.
                return await connection.close(code: 4_001, reason: "")
            }
            do { try await time.sleep(for: stalls.interval) } catch { return }
        }
    }

    // MARK: - Disconnected peers

    /// Records that the peer has disconnected, although messages of it may be unread, and resumes a paused reader, so
    /// that the session ends.
    func peerLeft() {
        hasPeerLeft = true
        pausedReader.take()?.resume()
    }
}

extension BLIPErrorReply {
    /// The error reply to a request of a peer that has acknowledged too few of the earlier replies.
    static let unacknowledged = BLIPErrorReply(
        code: 503, message: "too many replies wait to be sent until earlier ones are acknowledged")
}

/// Detects a peer that makes no progress with anything that this side waits for. A value without a clock: its owner
/// checks it at intervals.
struct StallWatch: Sendable {
    /// The kinds of waiting for a peer.
    enum Kind: Hashable, Sendable {
        /// The connection hasn't accepted sent messages.
        case sending
        /// The peer hasn't acknowledged a message that was sent up to the limit on unacknowledged bytes.
        case acknowledgement
        /// The content of an attachment that was requested from the peer hasn't arrived.
        case attachment
    }

    /// Something that this side waits for at present, with a number that changes whenever the peer makes progress.
    struct Wait: Sendable {
        let kind: Kind
        let progress: UInt64
    }

    /// The time without progress after which a peer counts as stalled.
    let limit: Duration
    private var standing: [Kind: (progress: UInt64, since: Moment)] = [:]

    init(limit: Duration) { self.limit = limit }

    /// The time between two checks by the owner.
    var interval: Duration { limit / 6 }

    /// Compares all current waits with those of the last check, and returns whether one of them has made no progress
    /// for `limit`.
    mutating func look(_ waits: [Wait], at now: Moment) -> Bool {
        assert(Set(waits.map(\.kind)).count == waits.count, "each kind of wait occurs once")
        let before = standing
        standing = [:]
        for wait in waits {
            if let earlier = before[wait.kind], earlier.progress == wait.progress {
                standing[wait.kind] = earlier
            } else {
                standing[wait.kind] = (wait.progress, now)
            }
        }
        return standing.values.contains { now - $0.since >= limit }
    }
}
