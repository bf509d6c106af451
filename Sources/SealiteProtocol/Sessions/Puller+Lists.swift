internal import SealiteJSON
internal import SealiteRevisions

// Lists of changes: which rows are wanted, and which remove access to documents.
extension Puller {
    /// Processes a list of the peer's changes, and returns the consequences for the session.
    mutating func receiveChanges(
        _ request: BLIPRequest, _ message: ChangesRequest, _ actions: inout SessionActions
    ) -> [Event] {
        guard !message.rows.isEmpty else {
            isCaughtUp = true
            actions.reply(to: request)
            return proceed(&actions)
        }
        guard waitingLists.count < limits.waitingLists else {
            let reason = "the peer sent more than \(limits.waitingLists) lists of changes without waiting for answers"
            return [.failed(SessionError(.protocolViolation, reason))]
        }
        waitingLists.append((request, message.rows))
        return proceed(&actions)
    }

    /// Passes on the revisions that are held back no longer, passes waiting lists of changes to the database while few
    /// enough revisions are awaited, and returns the consequences for the session.
    mutating func proceed(_ actions: inout SessionActions) -> [Event] {
        settleUnannounced()
        refusals.proceed(&actions)
        receiver.resume(requested.takeReleased(), &actions)
        while !waitingLists.isEmpty, requested.count < limits.requestedRevisions, comparing.count < 2, removing == nil,
            receiver.heldByteCount <= limits.heldByteCountForLists
        {
            let (request, rows) = waitingLists[0]
            // The wanted revisions of an earlier list are known once it is compared.
            guard comparing.isEmpty || !rows.contains(where: { $0.flags.isAccessRemoved || isBeingCompared($0) }) else {
                break
            }
            guard !takesAccessFromAwaited(rows) else {
                // Otherwise the document would be purged first and inserted afterwards.
                receiver.insert(&actions)
                break
            }
            guard actions.requested.admits(collection) else { break }
            waitingLists.removeFirst()
            take(request, rows, &actions)
            countRequested(&actions)
        }
        countRequested(&actions)
        return takeEvents()
    }

    /// Counts the requested revisions, and the announced ones that are being compared, in the window that the collections
    /// of the connection share.
    private func countRequested(_ actions: inout SessionActions) {
        let compared = comparing.values.reduce(removing?.list.rows.count ?? 0) { $0 + $1.rows.count }
        actions.requested.setShare(of: collection, to: SharedWindow.Amount(count: requested.count + compared))
    }

    /// Settles the documents that are asked for again and that the peer hasn't announced: it no longer has them, or they
    /// aren't for this user.
    private mutating func settleUnannounced() {
        guard isCaughtUp, !unannounced.isEmpty, waitingLists.isEmpty, comparing.isEmpty, removing == nil else { return }
        for document in unannounced { refusals.settle(document) }
        unannounced = []
    }

    /// Returns whether a list that the database is comparing contains the row's document.
    private func isBeingCompared(_ row: ChangesRequest.Row) -> Bool {
        let id = ExactText(row.documentID)
        return comparing.values.contains { $0.documentIDs.contains(id) }
    }

    /// Returns whether rows remove access to a document whose revision is being received.
    func takesAccessFromAwaited(_ rows: [ChangesRequest.Row]) -> Bool {
        rows.contains { $0.flags.isAccessRemoved && requested.contains(ExactText($0.documentID)) }
    }

    mutating func take(_ request: BLIPRequest, _ rows: [ChangesRequest.Row], _ actions: inout SessionActions) {
        assert(removing == nil && comparing.count < 2, "few lists are compared at a time")
        let entries = rows.map { sequences.add($0.sequence) }
        let documentIDs = Set(rows.lazy.map { ExactText($0.documentID) })
        let list = Comparing(
            request: request, rows: rows, entries: entries, awaited: documentIDs.filter { requested.contains($0) },
            documentIDs: documentIDs)
        let lost = rows.filter(\.flags.isAccessRemoved)
        guard isAutoPurging, !lost.isEmpty else {
            finishLost(list, &actions)
            return compare(list, &actions)
        }
        assert(comparing.isEmpty, "a comparison would find documents that are being purged")
        removing = (actions.store(.removeAccess(lost), collection: collection), list)
    }

    mutating func compare(_ list: Comparing, _ actions: inout SessionActions) {
        let task = actions.store(.compare(list.rows.filter { isCompared($0) }), collection: collection)
        assert(comparing[task] == nil && comparing.count < 2, "few lists are compared at a time")
        comparing[task] = list
    }

    mutating func removed(_ list: Comparing, _ result: TaskResult, _ actions: inout SessionActions) {
        assert(removing != nil, "access was being removed")
        removing = nil
        if case .store(.failed(let failure)) = result {
            actions.refuse(list.request, failure.reply)
            events.append(.failed(SessionError(failure)))
            return
        }
        if case .store(.accessRemoved(let arePurged)) = result {
            progress.outcomes.removed += UInt64(arePurged.count { $0 })
        }
        finishLost(list, &actions)
        compare(list, &actions)
    }

    mutating func finishLost(_ list: Comparing, _ actions: inout SessionActions) {
        assert(list.rows.count == list.entries.count, "each announced row has its sequence")
        for (row, entry) in zip(list.rows, list.entries) where row.flags.isAccessRemoved {
            report(row.documentID, isDeleted: row.flags.contains(.deleted), isAccessRemoved: true, &actions)
            refusals.settle(ExactText(row.documentID))
            finish(entry)
        }
    }

    func isCompared(_ row: ChangesRequest.Row) -> Bool {
        !row.flags.isAccessRemoved && documentFilter?.contains(ExactText(row.documentID)) != false
    }

    mutating func compared(_ list: Comparing, _ result: TaskResult, _ actions: inout SessionActions) {
        guard case .store(.compared(let verdicts)) = result else {
            if case .store(.failed(let failure)) = result {
                actions.refuse(list.request, failure.reply)
                events.append(.failed(SessionError(failure)))
            }
            return
        }
        assert(list.rows.count == list.entries.count, "each announced row has its sequence")
        var items: [ChangesReply.Item] = []
        var next = verdicts.makeIterator()
        for (row, entry) in zip(list.rows, list.entries) {
            var verdict: AnnouncementDecision = isCompared(row) ? next.next() ?? .known : .known
            let key = ExactText(row.documentID)
            if !unannounced.isEmpty, !row.flags.isAccessRemoved { unannounced.remove(key) }
            if verdict == .known || verdict == .conflict, isCompared(row),
                list.awaited.contains(key) || requested.contains(key)
            {
                // An older revision of the document is being received. When it is stored, it may undo a purge or change
                // the known revision; therefore this row is requested, so that its revision is stored last.
                verdict = .wanted(ancestors: [])
            }
            switch verdict {
            case .known:
                items.append(.skip)
                guard !row.flags.isAccessRemoved else { continue }
                if isCompared(row) {
                    refusals.settle(key)
                    events.append(.learned(documentID: row.documentID, row.version))
                }
                finish(entry)
            case .conflict:
                items.append(.skip)
                refusals.settle(key)
                reportConflict(row.documentID, isDeleted: row.flags.contains(.deleted), &actions)
                finish(entry)
            case .wanted(let ancestors):
                items.append(.send(ancestors: ancestors))
                let byteCount = row.bodyByteCount ?? 0
                progress.add(byteCount)
                for earlier in removeRequested(row.documentID, row.version, row.sequence) {
                    finish(earlier.entry)
                }
                requested.add(
                    RequestedRevisions.Request(
                        sequence: row.sequence, entry: entry, version: row.version, byteCount: byteCount),
                    of: key)
            }
        }
        assert(items.count == list.rows.count, "each row is answered")
        var reply = ChangesReply(items: items, maxHistory: configuration.hasVectors ? nil : limits.maxHistory)
        reply.understandsBlobs = true
        reply.takesDeltas = receiver.announceDeltas()
        actions.reply(to: list.request, reply.message)
    }
}
