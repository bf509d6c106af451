import SealiteCrypto

/// Changes of key slots, which rewrite the header alone, in one atomic step, while other connections have the file
/// open.
extension SealedDatabase {
    /// Returns the slots in use, from the header on disk, which isn't authenticated here.
    public func slots() throws(SealedFileError) -> [SlotInfo] {
        try BaseHandle.readHeader(path, vfs: vfs.base).content.slotInfos
    }

    /// Adds a slot for another secret. Returns the number of the slot, from 1 to 12.
    ///
    /// - Throws: `SealedFileError`: `refused` if all 12 slots are in use or the label is taken, `invalidArgument`,
    ///   `costRefused`, `tamperedHeader`, `busy`, `permission`, `locked`, `inputOutput`.
    @discardableResult
    public func addSlot(_ secret: borrowing NewSlotSecret, label: String = "") throws(SealedFileError) -> Int {
        try addSlot(secret, label: label, id: nil)
    }

    /// Adds a slot as `addSlot(_:label:)` does, with the id under which the secret is already stored elsewhere, 16
    /// bytes; nil for a random id.
    @discardableResult
    package func addSlot(
        _ secret: borrowing NewSlotSecret, label: String, id: [UInt8]?
    ) throws(SealedFileError) -> Int {
        try ring.follow(try BaseHandle.readHeader(path, vfs: vfs.base))
        let master = try ring.masterKey()
        let made = try SlotOpening.make(secret, label: label, id: id, master: master, databaseID: ring.databaseID)
        var number = 0
        try editHeader { (content) throws(SealedFileError) in
            try content.requireMaster(master)
            guard let place = content.slots.firstIndex(where: { $0 == nil }) else {
                throw SealedFileError(
                    .refused, "all \(HeaderLayout.slotCount) key slots are in use", hint: "remove one first")
            }
            try content.requireFreeLabel(label)
            content.slots[place] = made.slot
            number = place + 1
        }
        ring.vouch(for: made.slot)
        return number
    }

    /// Removes a slot. An attacker with an old copy of the header and the slot's secret can still open pages sealed
    /// before the next rotation.
    ///
    /// - Parameters:
    ///   - number: the number of the slot.
    ///   - id: the id that the slot must have (``SlotInfo/id``), for a slot that was chosen from a list, since others
    ///     may have given the number to another slot meanwhile. With nil, any slot with the number is removed.
    /// - Throws: `SealedFileError`: `refused` for the last slot, `invalidArgument` if no slot has this number, `busy`
    ///   if the slot with this id was removed or replaced meanwhile; otherwise as ``addSlot(_:label:)``.
    public func removeSlot(_ number: Int, id: String? = nil) throws(SealedFileError) {
        var removed: KeySlot?
        try editHeader { (content) throws(SealedFileError) in
            removed = try content.slot(number, id: id)
            guard content.slots.compactMap({ $0 }).count > 1 else {
                throw SealedFileError(
                    .refused, "key slot \(number) is the only one and can't be removed",
                    hint: "add another slot before removing this one")
            }
            content.slots[number - 1] = nil
        }
        assert(removed != nil, "a change of the header that succeeds was made")
        ring.withdraw(removed)
    }

    /// Replaces the secret of a key slot. The slot keeps its id and, unless another label is passed, its label.
    ///
    /// - Parameters:
    ///   - number: the number of the slot.
    ///   - secret: the new secret.
    ///   - label: the new label; nil for the present one.
    ///   - id: the id that the slot must have (``SlotInfo/id``), for a slot that was chosen from a list, since others
    ///     may have given the number to another slot meanwhile. With nil, any slot with the number is changed.
    /// - Throws: `SealedFileError`: `invalidArgument` if no slot has this number, `refused` for a label that is taken,
    ///   `busy` if the slot with this id was removed or replaced meanwhile, or the slot was changed during the call;
    ///   otherwise as ``addSlot(_:label:)``.
    public func changeSlot(
        _ number: Int, to secret: borrowing NewSlotSecret, label: String? = nil, id: String? = nil
    ) throws(SealedFileError) {
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        try ring.follow(region)
        try changeSlot(number, from: try region.content.slot(number, id: id), to: secret, label: label)
    }

    /// Replaces the secret of a key slot. Throws `busy` unless the slot on disk is still exactly `old`: otherwise the
    /// secret that another process has just given it would be lost.
    func changeSlot(
        _ number: Int, from old: KeySlot, to secret: borrowing NewSlotSecret, label: String? = nil
    ) throws(SealedFileError) {
        let master = try ring.masterKey()
        let made = try SlotOpening.make(
            secret, label: label ?? old.label, id: old.id, master: master, databaseID: ring.databaseID)
        try editHeader { (content) throws(SealedFileError) in
            try content.requireMaster(master)
            guard try content.slot(number, id: old.id.hex) == old else {
                throw SealedFileError(.busy, "key slot \(number) was changed meanwhile", hint: "try again")
            }
            content.slots[number - 1] = nil
            try content.requireFreeLabel(made.slot.label)
            content.slots[number - 1] = made.slot
        }
        assert(made.slot.id == old.id, "a slot whose secret changes keeps its id")
        ring.withdraw(old)
        ring.vouch(for: made.slot)
        // The slot that opened this handle has a new key, needed to follow the next rotation.
        if old.id == ring.slotID { ring.adopt(kek: made.kek) }
    }

    /// Changes the header and raises its generation, under SQLite's write lock, which a separate connection takes.
    /// Calls `last` after the header is written and before the lock is released.
    package func editHeader(
        _ change: @escaping (inout HeaderContent) throws(SealedFileError) -> Void,
        beforeUnlocking last: () throws(SealedFileError) -> Void = {}
    ) throws(SealedFileError) {
        let edit = FileTask.headerChange { (region, ring) throws(SealedFileError) in
            var content = region.content
            try change(&content)
            try content.raiseGeneration()
            assert(content.databaseID == region.content.databaseID && content.pageSize == region.content.pageSize)
            assert(content.slots.count == HeaderLayout.slotCount, "slots keep their numbers")
            let master = try ring.masterKey()
            return try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try HeaderImage(content, master: master)
            }
        }
        let connection = try connect()
        try connection.underWriteLock(edit, beforeUnlocking: last)
    }
}

extension HeaderContent {
    /// Returns the slot with a number. Throws `invalidArgument` if there is none, and `busy` if `id`, the id that the
    /// slot had when it was chosen, isn't nil and no longer that of the slot.
    func slot(_ number: Int, id: String? = nil) throws(SealedFileError) -> KeySlot {
        let slot = slots.indices.contains(number - 1) ? slots[number - 1] : nil
        if let id, slot?.id.hex != id {
            throw SealedFileError(
                .busy, "key slot \(number) was removed or replaced meanwhile", hint: FileRemedy.listSlots.hint)
        }
        guard let slot else { throw .noSlot(number) }
        return slot
    }

    /// Throws `busy` if `master`, under which the caller created a slot, is no longer the file's master key: the slot
    /// would open nothing.
    func requireMaster(_ master: MasterKey) throws(SealedFileError) {
        guard masterID == master.id else {
            throw SealedFileError(.busy, "the keys were rotated meanwhile", hint: "try again")
        }
    }

    func requireFreeLabel(_ label: String) throws(SealedFileError) {
        guard label.isEmpty || !slots.contains(where: { $0?.label == label }) else {
            throw SealedFileError(.refused, "the label \"\(label)\" is taken by another key slot")
        }
    }
}

extension SealedFileError {
    package static func noSlot(_ number: Int) -> SealedFileError {
        SealedFileError(.invalidArgument, "there is no key slot \(number)", hint: FileRemedy.listSlots.hint)
    }
}
