internal import SealiteProtocol
internal import SealiteFile
internal import SealiteDatabase

// Attachments in both directions: content is transferred between the connection and the database in pieces, at the
// speed of the slower one.
extension SessionRunner {
    private static var pieceByteCount: Int { 65_536 }

    // MARK: - Fetching

    func fetch(_ request: GetAttachmentRequest, _ byteCount: UInt64?, _ task: TaskID) {
        do {
            let blob = try attachments.receiver(request.digest, byteCount: byteCount)
            let ticket = multiplexer.send(request.message, isStreamingReply: true)
            assert(fetches[ticket] == nil, "a request has a ticket of its own")
            fetches[ticket] = Fetch(task: task, blob: blob)
        } catch {
            let failure = StoreFailure(error)
            Task { self.finish(task, .attachment(.failed(failure))) }
        }
    }

    func fetchRefused(_ ticket: BLIPTicket, _ error: BLIPErrorReply) {
        receivedPieceCount += 1
        guard let fetch = fetches.removeValue(forKey: ticket) else { return }
        finish(fetch.task, .attachment(.refused(error)))
    }

    func fetched(_ piece: [UInt8], _ ticket: BLIPTicket) {
        guard let fetch = fetches[ticket] else {
            // The fetch has already failed, because content was wrong or couldn't be stored; the rest of the content is
            // discarded.
            multiplexer.acknowledgePieces(of: ticket)
            return
        }
        let blob = fetch.blob
        receivedPieceCount += 1
        pieceByteCount += piece.count
        attachmentWork.start(
            { Self.result { try blob.add(piece) } },
            then: { await self.pieceStored(ticket, piece.count, $0) })
    }

    private func pieceStored(_ ticket: BLIPTicket, _ byteCount: Int, _ failure: AttachmentResult?) {
        assert(pieceByteCount >= byteCount, "each byte is counted once")
        pieceByteCount -= byteCount
        multiplexer.acknowledgePieces(of: ticket)
        // The fetch fails at once, not at the end of the content: wrong content might never end.
        if let failure, let fetch = fetches.removeValue(forKey: ticket) { finish(fetch.task, .attachment(failure)) }
        resumeReader()
        wakeWriter()
    }

    func fetchEnded(_ ticket: BLIPTicket) {
        receivedPieceCount += 1
        guard let fetch = fetches[ticket] else { return }
        let blob = fetch.blob
        attachmentWork.start(
            { Self.result { try blob.finish() } },
            then: { failure in await self.fetchFinished(ticket, failure) })
    }

    private func fetchFinished(_ ticket: BLIPTicket, _ failure: AttachmentResult?) {
        guard let fetch = fetches.removeValue(forKey: ticket) else { return }
        if failure == nil { metrics?.receivedBlob() }
        finish(fetch.task, .attachment(failure ?? .stored))
    }

    /// Performs `work`, and returns its failure; nil if it succeeds.
    private static func result(_ work: () throws -> Void) -> AttachmentResult? {
        do {
            try work()
            return nil
        } catch {
            if let error = error as? DatabaseError, error.code == .blobMismatch { return .corrupt }
            return .failed(StoreFailure(error))
        }
    }

    // MARK: - Serving

    /// The maximum number of attachments that are sent concurrently; further ones wait until one of them is sent.
    private static var servingLimit: Int { 16 }
    /// The number of bytes of queued replies at which no further attachment is begun.
    private static var unsentLimit: Int { 2 << 20 }

    func serve(_ number: UInt64, _ request: GetAttachmentRequest) {
        // The content is read only if a reply can be sent. Otherwise no limit would count it, and its transfer would
        // never end.
        guard multiplexer.isUnanswered(number) else { return }
        waitingServings.append((number, request))
        startServing()
    }

    /// Starts to send attachments that the peer requested, as far as the limits permit.
    func startServing() {
        while !waitingServings.isEmpty, servings.count + openingCount < Self.servingLimit,
            multiplexer.unsentReplyByteCount < Self.unsentLimit
        {
            let (number, request) = waitingServings.removeFirst()
            openingCount += 1
            let attachments = attachments
            attachmentWork.start(
                { Result { try attachments.reader(request.digest) } },
                then: { await self.serve(number, request, $0) })
        }
    }

    private func serve(_ number: UInt64, _ request: GetAttachmentRequest, _ found: Result<BlobReader?, any Error>) {
        assert(openingCount > 0, "an attachment is opened once")
        openingCount -= 1
        defer { startServing() }
        switch found {
        case .success(let reader?):
            let reply = BLIPOutgoing(isCompressed: request.isCompressible, isStreamed: true)
            servings[.reply(number)] = reader
            assert(servings.count <= Self.servingLimit, "few attachments are sent at a time")
            multiplexer.reply(to: number, with: reply)
            metrics?.sentBlob()
        case .success(nil):
            multiplexer.reply(to: number, error: BLIPErrorReply(code: 404, message: "no such attachment"))
        case .failure(let error): refuse(number, StoreFailure(error))
        }
        wakeWriter()
    }

    /// Reads the next piece of an attachment that is being sent, and passes it to the multiplexer.
    func supply(_ stream: BLIPStream) {
        guard let reader = servings[stream] else { return }
        attachmentWork.start(
            {
                Result {
                    var reader = reader
                    let piece = try reader.read(upTo: Self.pieceByteCount)
                    return (piece, reader)
                }
            }, then: { await self.supply(stream, $0) })
    }

    private func supply(_ stream: BLIPStream, _ result: Result<([UInt8], BlobReader), any Error>) {
        guard servings[stream] != nil else { return }
        switch result {
        case .success((let piece, let reader)):
            let isLast = piece.isEmpty || reader.position == reader.length
            assert(reader.position <= reader.length)
            servings[stream] = isLast ? nil : reader
            multiplexer.supply(piece, isLast: isLast, to: stream)
        case .failure:
            // The reply has begun, so it can't become an error; a truncated one doesn't match its digest.
            servings[stream] = nil
            multiplexer.supply([], isLast: true, to: stream)
        }
        wakeWriter()
    }

    func prove(_ number: UInt64, _ request: ProveAttachmentRequest) {
        guard multiplexer.isUnanswered(number) else { return }
        let attachments = attachments
        attachmentWork.start(
            { Result { try attachments.proof(request) } },
            then: { await self.proved(number, $0) })
    }

    private func proved(_ number: UInt64, _ result: Result<[UInt8]?, any Error>) {
        switch result {
        case .success(let proof?): multiplexer.reply(to: number, with: BLIPOutgoing(body: proof))
        case .success(nil):
            multiplexer.reply(to: number, error: BLIPErrorReply(code: 404, message: "no such attachment"))
        case .failure(let error): refuse(number, StoreFailure(error))
        }
        wakeWriter()
    }

    private func refuse(_ number: UInt64, _ failure: StoreFailure) {
        tell(failure)
        multiplexer.reply(to: number, error: failure.reply)
    }
}
