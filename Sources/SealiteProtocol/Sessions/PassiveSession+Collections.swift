// Which collections the session serves, and the checkpoints of its peer.

extension PassiveSession {
    mutating func getCollections(_ request: BLIPRequest) throws(MessageError) {
        guard mode == .undecided, negotiation == nil else {
            throw MessageError(.badCollection, "Invalid getCollections message: not the first message")
        }
        let message = try GetCollectionsRequest(request, limits: limits)
        let positions = Dictionary(
            configuration.collections.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let indices = message.items.map { item in positions[Self.shortPath(item.path)] }
        let known = indices.compactMap { $0 }
        // Each name adds a checkpoint to the reply, so repeated names would multiply its size.
        guard Set(known).count == known.count else {
            throw MessageError(.badCollection, "Invalid getCollections message: a collection is named twice")
        }
        var negotiation = Negotiation(
            request: request.withoutBody, items: indices.map { $0 == nil ? .missing : .withoutCheckpoint },
            names: message.asksForNames ? configuration.collections : nil)
        actions.owner = .session
        for (position, index) in indices.enumerated() {
            guard let index else { continue }
            let id = message.items[position].checkpointID
            negotiation.missing[actions.store(.loadPeerCheckpoint(id: id), collection: index)] = position
        }
        assert(mode == .undecided, "collections are named once")
        mode = .named(indices)
        self.negotiation = negotiation
        answerNegotiation()
    }

    /// Returns a collection's path without the scope, if that is the default one.
    private static func shortPath(_ path: String) -> String {
        path.hasPrefix("_default.") ? String(path.dropFirst("_default.".count)) : path
    }

    private mutating func answerNegotiation() {
        guard let done = negotiation, done.missing.isEmpty else { return }
        assert(done.request.body.isEmpty, "a reply needs no body of the request")
        actions.reply(to: done.request, GetCollectionsReply(items: done.items, names: done.names).message)
        negotiation = nil
    }

    /// Processes a request for a checkpoint. Checkpoints belong to the database, so the collection is only validated.
    mutating func checkpoint(_ request: BLIPRequest, _ profile: Profile) throws(MessageError) {
        let (index, _) = try collection(of: request)
        actions.owner = .session
        if profile == .getCheckpoint {
            let message = try GetCheckpointRequest(request)
            guard message.client.utf8.count <= limits.checkpointIDByteCount else {
                throw MessageError(
                    .tooLarge, "a checkpoint's ID has more than \(limits.checkpointIDByteCount) bytes")
            }
            let task = actions.store(.loadPeerCheckpoint(id: message.client), collection: index)
            tasks[task] = .getCheckpoint(request.withoutBody, collection: index)
        } else {
            let message = try SetCheckpointRequest(request, limits: limits)
            noteProgress(checkpoint: message.body, index)
            let store = StoreRequest.savePeerCheckpoint(
                id: message.client, revision: message.revision, body: message.body)
            tasks[actions.store(store, collection: index)] = .setCheckpoint(request.withoutBody)
        }
    }

    /// Returns the index in the configuration and the index in messages of the collection that a request concerns. The
    /// first request determines in which way the peer refers to collections.
    mutating func collection(of request: BLIPRequest) throws(MessageError) -> (index: Int, wire: Int?) {
        let misuse = MessageError(.badCollection, MessageError.collectionPropertyReason)
        let wire: Int?
        do throws(MessageError) { wire = try request.properties.collection() } catch { throw misuse }
        switch (mode, wire) {
        case (.undecided, nil):
            guard let index = configuration.collections.firstIndex(of: "_default") else {
                throw MessageError(.badCollection, "the default collection isn't served; use getCollections")
            }
            assert(
                configuration.collections[index] == "_default",
                "without a name a request concerns the default collection")
            mode = .legacy(index)
            return (index, nil)
        case (.legacy(let index), nil): return (index, nil)
        case (.named(let indices), let wire?):
            guard indices.indices.contains(wire) else {
                throw MessageError(.badCollection, "the collection property is out of range.")
            }
            guard let index = indices[wire] else {
                throw MessageError(.badCollection, "collection index \(wire) was not a valid collection")
            }
            return (index, wire)
        default: throw misuse
        }
    }

    /// Processes the result of a task that the session itself requested.
    mutating func finished(_ task: TaskID, _ result: TaskResult) {
        if let position = negotiation?.missing.removeValue(forKey: task) {
            if case .store(.peerCheckpoint(let stored)) = result {
                if case .named(let indices) = mode, let index = indices[position] {
                    noteProgress(checkpoint: stored?.body, index)
                }
                if let stored {
                    negotiation?.items[position] = .checkpoint(body: stored.body, revision: stored.revision)
                }
            }
            if case .store(.failed(let failure)) = result, let request = negotiation?.request {
                negotiation = nil
                mode = .undecided
                actions.refuse(request, failure.reply)
            }
            answerNegotiation()
            return
        }
        switch (tasks.removeValue(forKey: task), result) {
        case (.getCheckpoint(let request, let index)?, .store(.peerCheckpoint(let stored))):
            noteProgress(checkpoint: stored?.body, index)
            if let stored {
                actions.reply(to: request, stored.message)
            } else {
                actions.refuse(request, BLIPErrorReply(code: 404))
            }
        case (.setCheckpoint(let request)?, .store(.peerCheckpointSaved(let revision))):
            actions.reply(to: request, BLIPOutgoing(["rev": revision]))
        case (.setCheckpoint(let request)?, .store(.peerCheckpointConflict)):
            actions.refuse(request, BLIPErrorReply(code: 409, message: "revision ID mismatch"))
        case (.decide(let request, let index, let isConflictIncluded)?, .store(.decided(let items))):
            var reply = ProposeChangesReply(
                items: items, maxHistory: configuration.hasVectors ? nil : configuration.limits.maxHistory)
            reply.understandsBlobs = true
            // Said in each reply, as Couchbase Lite does.
            if configuration.usesDeltas { reply.takesDeltas = receivers[index]?.takesDeltas ?? true }
            actions.reply(to: request, reply.message(includingConflicting: isConflictIncluded))
        case (.getCheckpoint(let request, _)?, .store(.failed(let failure))),
            (.setCheckpoint(let request)?, .store(.failed(let failure))),
            (.decide(let request, _, _)?, .store(.failed(let failure))):
            actions.refuse(request, failure.reply)
        default: break
        }
    }
}

extension BLIPRequest {
    /// The request without its body and properties, which a reply doesn't need.
    var withoutBody: BLIPRequest { BLIPRequest(number: number, properties: [:], body: [], flags: flags) }
}
