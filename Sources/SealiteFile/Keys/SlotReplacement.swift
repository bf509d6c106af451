import SealiteCrypto

extension KeySlot {
    /// Converts an unauthenticated recovery slot to an authenticated one with the same id, label and public key, if the
    /// slot's secret is among `secrets`.
    ///
    /// - Returns: true if the slot was converted; false if it was left as it is.
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
    /// The identities of the recovery slots.
    package var recoveryNames: Set<RecoverySlotName> { Set(slots.compactMap { $0?.recoveryName }) }

    /// Converts every unauthenticated recovery slot whose secret is among `secrets` to an authenticated one.
    ///
    /// - Returns: the authenticated slots that were created.
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

    /// Derives the secrets with which the unauthenticated slots that carry a key's public half can be converted to
    /// authenticated ones. Throws `tamperedHeader` if there is such a slot and the key is of the second edition, which
    /// never had one.
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

    /// Returns the slots that `replaceUnauthenticatedSlots(with:master:)` would convert.
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
    /// Throws `tamperedHeader` if the slot is unauthenticated and the key is of the second edition, that is, was
    /// created when only authenticated recovery slots were written any more: the slot is then forged.
    func requireOwn(_ slot: KeySlot, number: Int) throws(SealedFileError) {
        guard slot.kind == .recovery || edition == .first else { throw .slotOlderThanKey(number) }
    }
}
