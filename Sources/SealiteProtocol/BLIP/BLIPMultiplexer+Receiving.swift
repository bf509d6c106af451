extension BLIPMultiplexer {
    /// Processes one received BLIP frame (the whole payload of one binary WebSocket message), and returns the resulting
    /// actions, such as the delivery of a message that the frame completes.
    ///
    /// - Throws: every error ends the connection; further BLIP frames are refused with `closed`.
    package mutating func receive(_ frame: [UInt8]) throws(BLIPError) -> [BLIPAction] {
        try checkOpen()
        do {
            let (header, content) = try decoder.decode(frame[...])
            switch content {
            case .acknowledged(let count):
                acknowledged(count, header)
                return []
            case .payload(let payload, let wireByteCount):
                switch header.flags.type {
                case .request: return try receiveRequest(header, payload, wireByteCount)
                case .reply, .error: return try receiveReply(header, payload, wireByteCount)
                default: return []
                }
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Records that the delivered parts of a streamed reply are processed, so that the peer may send more.
    package mutating func acknowledgePieces(of ticket: BLIPTicket) {
        guard let number = awaited.first(where: { $0.value.ticket == ticket })?.key,
            var message = replies.removeValue(forKey: number)
        else { return }
        acknowledge(&message, BLIPOutbound.Key(number: number, isReply: true))
        replies[number] = message
    }

    private mutating func receiveRequest(
        _ header: BLIPFrameHeader, _ payload: [UInt8], _ wireByteCount: UInt64
    ) throws(BLIPError) -> [BLIPAction] {
        let number = header.number
        var message: BLIPIncoming
        if let begun = requests.removeValue(forKey: number) {
            message = begun
        } else {
            try checkNewRequest(number)
            assert(unanswered[number] == nil && rejectedRequests[number] == nil, "a number is used once")
            lastReceivedNumber = number
            message = BLIPIncoming(flags: header.flags, isStreamed: false)
        }
        let error = try append(payload, wireByteCount, to: &message)
        if let error { rejectedRequests[number] = error }
        if header.flags.contains(.moreComing) {
            acknowledge(&message, BLIPOutbound.Key(number: number, isReply: false))
            requests[number] = message
            return []
        }
        return [try finishRequest(number, message)]
    }

    private func checkNewRequest(_ number: UInt64) throws(BLIPError) {
        guard number == lastReceivedNumber &+ 1 else {
            throw BLIPError(
                .badMessageNumber,
                "request \(number) of the peer follows request \(lastReceivedNumber); numbers go up by one")
        }
        guard requests.count < limits.unfinishedMessageCount else {
            throw BLIPError(
                .tooManyMessages,
                "the peer began \(requests.count + 1) requests without ending them; "
                    + "the limit is \(limits.unfinishedMessageCount)")
        }
        guard unanswered.count < limits.unansweredRequestCount else {
            throw BLIPError(
                .tooManyMessages,
                "\(unanswered.count + 1) requests of the peer wait for a reply; "
                    + "the limit is \(limits.unansweredRequestCount)")
        }
    }

    private mutating func finishRequest(_ number: UInt64, _ message: BLIPIncoming) throws(BLIPError) -> BLIPAction {
        collectedByteCount -= message.buffer.count
        assert(collectedByteCount >= 0, "each byte is counted once")
        // A request that is discarded may have been so before its properties were complete.
        guard let properties = message.properties ?? (message.mode == .discard ? BLIPProperties() : nil) else {
            throw BLIPError(.badProperties, "request \(number) of the peer ends before its properties do")
        }
        let request = BLIPRequest(
            number: number, properties: properties, body: message.buffer, flags: message.flags)
        if request.wantsReply {
            assert(unanswered[number] == nil, "a request ends once")
            let byteCount = message.buffer.count + properties.byteCount
            unanswered[number] = Unanswered(isUrgent: message.flags.contains(.urgent), byteCount: byteCount)
            unansweredByteCount += byteCount
        }
        guard let error = rejectedRequests.removeValue(forKey: number) else { return .request(request) }
        reply(to: number, error: BLIPErrorReply(code: error.status, message: error.reason))
        return .requestRejected(request, error)
    }

    private mutating func receiveReply(
        _ header: BLIPFrameHeader, _ payload: [UInt8], _ wireByteCount: UInt64
    ) throws(BLIPError) -> [BLIPAction] {
        let number = header.number
        guard number <= lastSentNumber, number > 0 else {
            throw BLIPError(
                .unexpectedReply,
                "the peer replied to request \(number), which wasn't sent; the last one sent is \(lastSentNumber)")
        }
        // A reply to a request that expects none, or a second reply, is ignored, as in Sync Gateway.
        guard let request = awaited[number] else { return [] }
        var message =
            replies.removeValue(forKey: number)
            ?? BLIPIncoming(flags: header.flags, isStreamed: request.isStreamed)
        let hadBegun = message.properties != nil
        let error = try append(payload, wireByteCount, to: &message)
        var actions: [BLIPAction] = []
        if let error { actions.append(.replyRejected(error, to: request.ticket)) }
        if message.mode == .stream, let properties = message.properties {
            if !hadBegun { actions.append(.replyBegan(properties, to: request.ticket)) }
            let piece = message.takePiece()
            if !piece.isEmpty { actions.append(.replyPiece(piece, to: request.ticket)) }
        }
        if header.flags.contains(.moreComing) {
            try holdReply(number, message)
            return actions
        }
        awaited[number] = nil
        closeRequest()
        if let last = try finishReply(number, message, to: request.ticket) { actions.append(last) }
        return actions
    }

    private mutating func holdReply(_ number: UInt64, _ message: BLIPIncoming) throws(BLIPError) {
        var message = message
        if message.mode == .stream {
            // The reader of a streamed reply acknowledges its bytes. A peer that doesn't wait for acknowledgements
            // would exhaust the memory.
            assert(message.acknowledgedByteCount <= message.wireByteCount, "what is acknowledged was received")
            let open = message.wireByteCount - message.acknowledgedByteCount
            guard open <= UInt64(limits.unacknowledgedByteCount) else {
                throw BLIPError(
                    .flowControlIgnored,
                    "the peer sent \(open) bytes of a reply without waiting for acknowledgements; "
                        + "the limit is \(limits.unacknowledgedByteCount)")
            }
        } else {
            acknowledge(&message, BLIPOutbound.Key(number: number, isReply: true))
        }
        replies[number] = message
    }

    private mutating func finishReply(
        _ number: UInt64, _ message: BLIPIncoming, to ticket: BLIPTicket
    ) throws(BLIPError) -> BLIPAction? {
        acknowledgements[BLIPOutbound.Key(number: number, isReply: true)] = nil
        guard message.mode != .discard else { return nil }
        collectedByteCount -= message.buffer.count
        assert(collectedByteCount >= 0, "each byte is counted once")
        guard let properties = message.properties else {
            throw BLIPError(.badProperties, "the reply to request \(number) ends before its properties do")
        }
        if message.mode == .stream { return .replyEnded(to: ticket) }
        if message.flags.type == .error {
            let error = BLIPErrorReply(properties: properties, body: message.buffer)
            return .reply(BLIPReply(properties: properties, body: message.buffer, error: error), to: ticket)
        }
        return .reply(BLIPReply(properties: properties, body: message.buffer), to: ticket)
    }

    /// Adds a payload to a message. If the message then exceeds a limit, discards its content and returns the error;
    /// the connection continues. Otherwise returns nil.
    private mutating func append(
        _ payload: [UInt8], _ wireByteCount: UInt64, to message: inout BLIPIncoming
    ) throws(BLIPError) -> BLIPError? {
        if message.mode == .collect, message.properties != nil,
            let error = exceeded(message.buffer.count + payload.count, collectedByteCount + payload.count)
        {
            // Checked before the payload is added: the copy would need as much memory again.
            drop(&message)
            try message.append([], wireByteCount: wireByteCount, propertiesLimit: limits.propertiesByteCount)
            return error
        }
        collectedByteCount -= message.buffer.count
        try message.append(payload, wireByteCount: wireByteCount, propertiesLimit: limits.propertiesByteCount)
        collectedByteCount += message.mode == .stream && message.properties != nil ? 0 : message.buffer.count
        guard message.mode == .collect else { return nil }
        guard let error = exceeded(message.buffer.count, collectedByteCount) else { return nil }
        drop(&message)
        return error
    }

    /// Returns the error if a message of `byteCount` bytes, or all unfinished messages of together `collected` bytes,
    /// exceed a limit; otherwise nil.
    private func exceeded(_ byteCount: Int, _ collected: Int) -> BLIPError? {
        if byteCount > limits.messageByteCount {
            return BLIPError(
                .messageTooLarge, "the message exceeds the receiver's limit of \(limits.messageByteCount) bytes")
        }
        let limit = min(limits.collectedByteCount, collectedByteLimit)
        if collected > limit {
            return BLIPError(
                .tooMuchAtOnce,
                "the unfinished messages together exceed the receiver's limit of \(limit) bytes; try again later")
        }
        return nil
    }

    private mutating func drop(_ message: inout BLIPIncoming) {
        assert(collectedByteCount >= message.buffer.count, "each byte is counted once")
        collectedByteCount -= message.buffer.count
        message.discard()
    }

    private mutating func acknowledge(_ message: inout BLIPIncoming, _ key: BLIPOutbound.Key) {
        guard message.wireByteCount - message.acknowledgedByteCount >= BLIPLimits.acknowledgementInterval else {
            return
        }
        message.acknowledgedByteCount = message.wireByteCount
        assert(acknowledgements[key] ?? 0 <= message.wireByteCount, "an acknowledgement only grows")
        acknowledgements[key] = message.wireByteCount
    }

    /// Processes the peer's acknowledgement of `count` bytes of an outgoing message. An acknowledgement of an unknown
    /// message, or of more bytes than were sent, is ignored.
    private mutating func acknowledged(_ count: UInt64, _ header: BLIPFrameHeader) {
        let key = BLIPOutbound.Key(number: header.number, isReply: header.flags.type == .replyAcknowledgement)
        func take(_ message: inout BLIPOutbound) {
            guard count <= message.sentByteCount else { return }
            message.acknowledgedByteCount = max(message.acknowledgedByteCount, count)
        }
        if var message = paused.removeValue(forKey: key) {
            take(&message)
            if message.isPaused {
                paused[key] = message
            } else {
                assert(message.acknowledgedByteCount <= message.sentByteCount, "what is acknowledged was sent")
                acknowledgementCount += 1
                outbox.append(message)
            }
            return
        }
        if let stream = starving.first(where: { $0.value.key == key })?.key, var message = starving[stream] {
            take(&message)
            starving[stream] = message
            return
        }
        _ = outbox.update(where: { $0.key == key }, take)
    }
}
