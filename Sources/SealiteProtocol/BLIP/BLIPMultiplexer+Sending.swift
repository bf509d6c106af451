extension BLIPMultiplexer {
    /// Queues a request and returns its ticket, under which the reply is delivered. A request with `isNoReply` gets no
    /// reply. Once the connection has ended, nothing is queued, and the ticket gets no reply.
    ///
    /// With `isStreamingReply` the reply is delivered in parts (an error is delivered whole), and the peer is held back
    /// until `acknowledgePieces(of:)` is called.
    @discardableResult
    package mutating func send(_ message: BLIPOutgoing, isStreamingReply: Bool = false) -> BLIPTicket {
        lastTicket += 1
        let ticket = BLIPTicket(value: lastTicket)
        guard failure == nil else { return ticket }
        var flags = BLIPFlags(.request)
        if message.isCompressed { flags.insert(.compressed) }
        if message.isUrgent { flags.insert(.urgent) }
        if message.isNoReply { flags.insert(.noReply) }
        let request = BLIPOutbound(message, flags: flags, ticket: ticket, wantsStreamedReply: isStreamingReply)
        // The owner of a streamed body supplies it once the request is in the outbox.
        guard message.isStreamed || mayOpen(request) && heldBack.isEmpty else {
            count(request.unsentByteCount, isReply: false)
            heldBack.append(request)
            return ticket
        }
        open(request)
        queue(request)
        return ticket
    }

    /// Returns whether fewer requests are open than may be, or one wants no reply.
    private func mayOpen(_ request: BLIPOutbound) -> Bool {
        openRequestCount < limits.openRequestCount || request.flags.contains(.noReply)
    }

    private mutating func open(_ request: BLIPOutbound) {
        if !request.flags.contains(.noReply) { openRequestCount += 1 }
    }

    /// Counts a request of this side as answered, and queues those that were held back for it.
    mutating func closeRequest() {
        assert(openRequestCount > 0, "a request is answered once")
        openRequestCount -= 1
        while let request = heldBack.first, mayOpen(request) {
            _ = heldBack.popFirst()
            open(request)
            outbox.append(request)
        }
    }

    /// Answers a request of the peer. Sends nothing if the request expects no reply or was already answered.
    package mutating func reply(to number: UInt64, with message: BLIPOutgoing = BLIPOutgoing()) {
        answer(number, message, type: .reply)
    }

    /// Answers a request of the peer with an error. Sends nothing if the request expects no reply or was already
    /// answered.
    package mutating func reply(to number: UInt64, error: BLIPErrorReply) {
        let (properties, body) = error.encoded
        answer(number, BLIPOutgoing(properties, body: body), type: .error)
    }

    /// Adds a part to the body of a streamed message of this side; the last part ends the message. Does nothing if no
    /// message that still needs a part of its body has this identifier.
    package mutating func supply(_ bytes: [UInt8], isLast: Bool, to stream: BLIPStream) {
        count(bytes.count, isReply: stream.isReply)
        if var message = starving.removeValue(forKey: stream) {
            message.supply(bytes, isLast: isLast)
            outbox.append(message)
            return
        }
        let isQueued = outbox.update(where: { $0.stream == stream && !$0.isComplete }) {
            $0.supply(bytes, isLast: isLast)
        }
        if isQueued { return }
        if let key = paused.first(where: { $0.value.stream == stream && !$0.value.isComplete })?.key {
            paused[key]?.supply(bytes, isLast: isLast)
        } else {
            count(-bytes.count, isReply: stream.isReply)
        }
    }

    private mutating func count(_ byteCount: Int, isReply: Bool) {
        unsentByteCount += byteCount
        if isReply { unsentReplyByteCount += byteCount }
        assert(unsentReplyByteCount >= 0 && unsentReplyByteCount <= unsentByteCount, "each byte is counted once")
    }

    /// Returns the streamed messages of this side that need more of their body. A message is returned again only after
    /// `supply(_:isLast:to:)` was called for it.
    package mutating func takeWantedBodies() -> [BLIPStream] {
        defer { wantedBodies = [] }
        return wantedBodies
    }

    /// Returns the next BLIP frame to send; nil if there is none now.
    ///
    /// - Throws: `closed` if the connection has ended; `badCompression` if zlib fails, which ends the connection.
    package mutating func nextFrame() throws(BLIPError) -> [UInt8]? {
        try checkOpen()
        if let (key, count) = acknowledgements.first {
            acknowledgements[key] = nil
            return BLIPEncoder.acknowledgement(number: key.number, ofReply: key.isReply, receivedByteCount: count)
        }
        while var message = outbox.popFirst() {
            let byteCount = payloadByteCount(of: message)
            guard message.hasFrame(ofByteCount: byteCount) else {
                wantBody(of: &message)
                assert(!message.isComplete && starving[message.stream] == nil, "only a streamed message lacks content")
                starving[message.stream] = message
                continue
            }
            return try frame(of: &message, payloadByteCount: byteCount)
        }
        return nil
    }

    private mutating func queue(_ message: BLIPOutbound) {
        count(message.unsentByteCount, isReply: message.key.isReply)
        outbox.append(message)
    }

    private mutating func answer(_ number: UInt64, _ message: BLIPOutgoing, type: BLIPFrameType) {
        guard failure == nil, let request = unanswered.removeValue(forKey: number) else { return }
        assert(unansweredByteCount >= request.byteCount, "each byte is counted once")
        unansweredByteCount -= request.byteCount
        var flags = BLIPFlags(type)
        if message.isCompressed { flags.insert(.compressed) }
        if request.isUrgent { flags.insert(.urgent) }
        queue(BLIPOutbound(message, flags: flags, number: number))
    }

    /// Returns the number of payload bytes of a message for one BLIP frame, such that the whole frame stays within the
    /// limit.
    private func payloadByteCount(of message: BLIPOutbound) -> Int {
        let urgentWaits = !message.isUrgent && outbox.first?.isUrgent == true
        let frame = urgentWaits ? limits.sentFrameByteCountWhileUrgent : limits.sentFrameByteCount
        // The bytes of a frame besides the payload: number and flags, checksum, and the overhead of deflate for
        // incompressible data.
        return frame - (BLIPVarint.maximumByteCount + 1) - 4 - (message.flags.contains(.compressed) ? 32 : 0)
    }

    private mutating func frame(
        of message: inout BLIPOutbound, payloadByteCount: Int
    ) throws(BLIPError) -> [UInt8] {
        if message.number == 0 { begin(&message) }
        assert(message.number > 0, "each side numbers its requests from 1")
        let payload = message.take(upTo: payloadByteCount)
        assert(!payload.isEmpty, "no frame is empty")
        count(-payload.count, isReply: message.key.isReply)
        let isLast = message.isComplete && message.unsentByteCount == 0
        let flags = isLast ? message.flags : message.flags.union(.moreComing)
        let bytes: [UInt8]
        do {
            bytes = try encoder.frame(number: message.number, flags: flags, payload: payload)
        } catch {
            failure = error
            throw error
        }
        guard !isLast else { return bytes }
        message.sentByteCount += UInt64(bytes.count - BLIPVarint.byteCount(of: message.number) - 1)
        if message.unsentByteCount < 2 * limits.sentFrameByteCount { wantBody(of: &message) }
        assert(message.isPaused == false || paused[message.key] == nil, "a message waits in one place")
        if message.isPaused { paused[message.key] = message } else { outbox.append(message) }
        return bytes
    }

    private mutating func begin(_ message: inout BLIPOutbound) {
        assert(message.number == 0 && message.flags.type == .request, "a request gets its number once")
        lastSentNumber += 1
        message.number = lastSentNumber
        guard let ticket = message.ticket, !message.flags.contains(.noReply) else { return }
        assert(awaited[message.number] == nil)
        awaited[message.number] = Awaited(ticket: ticket, isStreamed: message.wantsStreamedReply)
    }

    private mutating func wantBody(of message: inout BLIPOutbound) {
        guard !message.isComplete, !message.isAwaitingSupply else { return }
        assert(!wantedBodies.contains(message.stream), "a body is requested once")
        message.isAwaitingSupply = true
        wantedBodies.append(message.stream)
    }
}
