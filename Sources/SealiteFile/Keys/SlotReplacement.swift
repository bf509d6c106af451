import SealiteCrypto

extension KeySlot {
    /// Makes a recovery slot of the old kind one of the new kind with the same id, label and public key, where its secret is among
    /// those given.
    ///
    /// - Returns: whether it was.
    mutating func replace(
        with secrets: [RecoverySecret], master: MasterKey, databaseID: [UInt8]
    ) throws(SealedFileError) -> Bool {
        guard kind == .unauthenticatedRecovery, let secret = secrets.first(where: { $0.slot == recoveryName }) else {
            return false
        }
        self = try SealedFileError.mappingCrypto { () throws(CryptoError) in
            var slot = self
            try SlotOpening.seal(master, to: &slot, with: secret, databaseID: databaseID)
            return slot
        }
        return true
    }
}

extension HeaderContent {
    /// The recovery slots.
    package var recoveryNames: Set<RecoverySlotName> { Set(slots.compactMap { $0?.recoveryName }) }

    /// Replaces recovery slots of the old kind by slots of the new kind.
    ///
    /// - Returns: the slots that took their places.
    mutating func replaceUnauthenticatedSlots(
        with secrets: [RecoverySecret], master: MasterKey
    ) throws(SealedFileError) -> [KeySlot] {
        var replaced: [KeySlot] = []
        for (index, slot) in slots.enumerated() {
            guard var slot, try slot.replace(with: secrets, master: master, databaseID: databaseID) else { continue }
            slots[index] = slot
            replaced.append(slot)
        }
        return replaced
    }

    /// The secrets for the slots of the old kind that carry a key's public half.
    func replacements(for key: RecoveryKey) throws(SealedFileError) -> [RecoverySecret] {
        var secrets: [RecoverySecret] = []
        for (index, slot) in slots.enumerated() {
            guard let slot, slot.kind == .unauthenticatedRecovery, slot.salt == key.publicKey else { continue }
            try key.requireOwn(slot, number: index + 1)
            secrets.append(
                try SealedFileError.mappingCrypto { () throws(CryptoError) in
                    try RecoverySecret(of: slot, privateKey: key.privateKey)
                })
        }
        return secrets
    }

    /// The slots that ``replaceUnauthenticatedSlots(with:master:)`` would replace.
    func replaceableSlots(with secrets: [RecoverySecret]) -> [SlotInfo] {
        let names = Set(secrets.map(\.slot))
        return slotInfos.filter { info in
            slots[info.number - 1].flatMap(\.recoveryName).map {
                $0.kind == .unauthenticatedRecovery && names.contains($0)
            } ?? false
        }
    }
}

extension RecoveryKey {
    /// Refuses a slot of the old kind for a key that was made when nobody made such slots any more.
    func requireOwn(_ slot: KeySlot, number: Int) throws(SealedFileError) {
        guard slot.kind == .recovery || edition == .first else { throw .slotOlderThanKey(number) }
    }
}
