import CSQLite
public import SealiteCrypto

/// A key slot as anyone may see it: its secret isn't in here, nor what wraps the master key.
public struct SlotInfo: Sendable, Equatable {
    /// Its place in the header, from 1.
    public let number: Int
    /// 16 random bytes, in hex, that stay with the slot through rotation, backup and copies.
    public let id: String
    /// What kind of secret opens it.
    public let kind: SlotKind
    /// Its label, or "".
    public let label: String
    /// What scrypt costs for a passphrase slot; nil for the others.
    public let cost: Scrypt.Cost?
}

extension HeaderContent {
    /// The slots in use, in the order of their numbers.
    var slotInfos: [SlotInfo] {
        slots.enumerated().compactMap { index, slot in
            slot.map {
                SlotInfo(number: index + 1, id: $0.id.hex, kind: $0.kind, label: $0.label, cost: $0.cost)
            }
        }
    }
}

/// Changes of key slots rewrite the header only, in one atomic step, while others have the file open.
extension SealedDatabase {
    /// The slots in use, from the header as it is on disk.
    public func slots() throws(SealedFileError) -> [SlotInfo] {
        try BaseHandle.readHeader(path, vfs: vfs.base).content.slotInfos
    }

    /// Adds a slot for another secret. Returns its number.
    ///
    /// - Throws: `SealedFileError`: `refused` where all 12 slots are in use or the label is taken, `busy`, `invalidArgument`.
    @discardableResult
    public func addSlot(_ secret: borrowing NewSlotSecret, label: String = "") throws(SealedFileError) -> Int {
        try addSlot(secret, label: label, id: nil)
    }

    /// As `addSlot(_:label:)`, for a secret that is kept elsewhere under the slot's id already.
    @discardableResult
    package func addSlot(
        _ secret: borrowing NewSlotSecret, label: String, id: [UInt8]?
    ) throws(SealedFileError) -> Int {
        let made = try SlotOpening.make(secret, label: label, id: id, master: try ring.masterKey())
        var number = 0
        try editHeader { (content) throws(SealedFileError) in
            guard let place = content.slots.firstIndex(where: { $0 == nil }) else {
                throw SealedFileError(
                    .refused, "all \(HeaderLayout.slotCount) key slots are in use", hint: "remove one first")
            }
            try content.requireFreeLabel(label)
            content.slots[place] = made.slot
            number = place + 1
        }
        return number
    }

    /// Empties a slot. Who has an old copy of the header, and the slot's secret, can still open pages that were
    /// sealed before the next rotation.
    ///
    /// - Throws: `SealedFileError`: `refused` for the last slot, `invalidArgument` where there is none of this number.
    public func removeSlot(_ number: Int) throws(SealedFileError) {
        try editHeader { (content) throws(SealedFileError) in
            _ = try content.slot(number)
            guard content.slots.compactMap({ $0 }).count > 1 else {
                throw SealedFileError(
                    .refused, "key slot \(number) is the last one", hint: "add another slot before removing this one")
            }
            content.slots[number - 1] = nil
        }
    }

    /// Gives a slot another secret; it keeps its id and, unless another is given, its label.
    ///
    /// - Throws: `SealedFileError`: `invalidArgument` where there is none of this number, `refused` for a label that is taken.
    public func changeSlot(
        _ number: Int, to secret: borrowing NewSlotSecret, label: String? = nil
    ) throws(SealedFileError) {
        let old = try BaseHandle.readHeader(path, vfs: vfs.base).content.slot(number)
        let made = try SlotOpening.make(secret, label: label ?? old.label, id: old.id, master: try ring.masterKey())
        try editHeader { (content) throws(SealedFileError) in
            let now = try content.slot(number)
            guard now.id == old.id, now.label == old.label else {
                throw SealedFileError(.busy, "key slot \(number) was changed meanwhile", hint: "try again")
            }
            content.slots[number - 1] = nil
            try content.requireFreeLabel(made.slot.label)
            content.slots[number - 1] = made.slot
        }
        // The slot that opened this handle has another key now: what follows the next rotation is that one.
        if old.id == ring.slotID { ring.adopt(kek: made.kek) }
    }

    /// Changes the header under SQLite's write lock, which a connection of its own takes.
    package func editHeader(
        _ change: @escaping (inout HeaderContent) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        let edit = FileTask.headerChange { (region, ring) throws(SealedFileError) in
            var content = region.content
            try change(&content)
            try content.raiseGeneration()
            let master = try ring.masterKey()
            return try SlotOpening.mapped { () throws(CryptoError) in try HeaderImage(content, master: master) }
        }
        let connection = try connect()
        try connection.underWriteLock(edit)
    }
}

extension HeaderContent {
    func slot(_ number: Int) throws(SealedFileError) -> KeySlot {
        guard slots.indices.contains(number - 1), let slot = slots[number - 1] else {
            throw SealedFileError(
                .invalidArgument, "there is no key slot \(number)", hint: "list the slots with 'sealite key list'")
        }
        return slot
    }

    func requireFreeLabel(_ label: String) throws(SealedFileError) {
        guard label.isEmpty || !slots.contains(where: { $0?.label == label }) else {
            throw SealedFileError(.refused, "the label \"\(label)\" is taken by another key slot")
        }
    }
}
