import SealiteCrypto

extension KeySlot {
    /// The recovery slot's identity; nil for slots of other kinds.
    var recoveryName: RecoverySlotName? {
        kind.isRecovery ? RecoverySlotName(id: id, publicKey: salt, kind: kind) : nil
    }

    func isSealed(to publicKey: [UInt8]) -> Bool { kind.isRecovery && salt == publicKey }
}

extension SlotOpening {
    private static func info(_ databaseID: [UInt8]) -> [UInt8] {
        Array("Sealite 1 authenticated recovery".utf8) + databaseID
    }

    private static let exporterContext = Array("Sealite 1 authenticated recovery slot key".utf8)
    private static let oldInfo = Array("Sealite 1 recovery".utf8)
    private static let oldExporterContext = Array("Sealite 1 recovery slot key".utf8)

    // MARK: Sealing

    /// Seals a master key into a recovery slot whose id, label and public key are set, and makes it an authenticated
    /// slot (kind 4): sealing requires the slot's recovery secret, which the slot contains, wrapped under the master
    /// key.
    static func seal(
        _ master: MasterKey, to slot: inout KeySlot, with secret: RecoverySecret, databaseID: [UInt8]
    ) throws(CryptoError) {
        slot.kind = .recovery
        var context = try HPKE.Sender(
            to: slot.salt, info: info(databaseID), preSharedKey: try secret.preSharedKey())
        try seal(master, to: &slot, &context, exporting: exporterContext)
        try secret.wrap(into: &slot, under: master, databaseID: databaseID)
    }

    /// Seals a master key into an unauthenticated slot that a rotation keeps because its private key wasn't supplied.
    static func sealUnauthenticated(_ master: MasterKey, to slot: inout KeySlot) throws(CryptoError) {
        var context = try HPKE.Sender(to: slot.salt, info: oldInfo)
        try seal(master, to: &slot, &context, exporting: oldExporterContext)
    }

    private static func seal(
        _ master: MasterKey, to slot: inout KeySlot, _ context: inout HPKE.Sender, exporting exporterContext: [UInt8]
    ) throws(CryptoError) {
        slot.encapsulatedKey = context.encapsulatedKey
        let binding = slot.headerBytes + master.id
        slot.wrapped = unsafe try master.key.withUnsafeBytes { (bytes) throws(CryptoError) in
            unsafe try context.seal(bytes, associatedData: binding)
        }
        let kek = SlotKEK(slotID: slot.id, key: try context.export(context: exporterContext, byteCount: 32))
        slot.checkValue = try kek.checkValue(for: slot, masterID: master.id)
    }

    // MARK: Opening

    /// Unlocks a header with a recovery key's private half. Throws `wrongKey` if the key opens no slot,
    /// `tamperedHeader` if a slot with its public half is forged, and `unauthenticatedSlot` if it opens only a slot of
    /// an earlier version and `limits` doesn't accept that. `Documentation/FORMAT.md` §5.3.
    static func open(
        _ content: HeaderContent, recoveryKey: RecoveryKey, limits: UnlockLimits
    ) throws(SealedFileError) -> Opened {
        let own = content.slots.enumerated().compactMap { (index, slot) in
            slot.flatMap { $0.isSealed(to: recoveryKey.publicKey) ? (number: index + 1, slot: $0) : nil }
        }
        let chosen = own.filter { limits.slotNumber ?? $0.number == $0.number }
        let opened: (number: Int, slot: KeySlot, master: MasterKey)
        if let candidate = chosen.first(where: { $0.slot.kind == .recovery }) {
            let master = try openAuthenticated(candidate.slot, candidate.number, content, recoveryKey.privateKey)
            opened = (candidate.number, candidate.slot, master)
        } else {
            guard chosen.isEmpty || !own.contains(where: { $0.slot.kind == .recovery }) else {
                throw .downgradedSlot(chosen[0].number)
            }
            if let first = chosen.first { try recoveryKey.requireOwn(first.slot, number: first.number) }
            guard let found = try openUnauthenticated(chosen, content.masterID, recoveryKey.privateKey) else {
                let tried = content.slots.enumerated().count { (index, slot) in
                    slot?.kind.isRecovery == true && limits.slotNumber ?? (index + 1) == index + 1
                }
                throw .wrongKey(tried: tried, kind: .recovery, slotNumber: limits.slotNumber, in: content)
            }
            guard limits.acceptsUnauthenticatedSlots else { throw .unauthenticatedSlot(found.number) }
            opened = found
        }
        let replacements = recoveryKey.edition == .first ? try content.replacements(for: recoveryKey) : []
        let recovery = OpenedRecovery(
            slotNumber: opened.number, isAuthenticated: opened.slot.kind == .recovery,
            slots: own.compactMap(\.slot.recoveryName), replacements: replacements)
        return Opened(
            master: opened.master, kek: nil, slotID: opened.slot.id, recovery: recovery,
            trust: recovery.isAuthenticated || limits.trustsFile ? .proven : .unproven(slot: opened.number))
    }

    /// Opens an authenticated slot of the recovery key. A failure throws `tamperedHeader`, never `wrongKey`: the slot
    /// carries this key's public half, so if the private half doesn't open it, somebody without the recovery key wrote
    /// the slot.
    private static func openAuthenticated(
        _ slot: KeySlot, _ number: Int, _ content: HeaderContent, _ privateKey: borrowing SecretBytes
    ) throws(SealedFileError) -> MasterKey {
        do throws(CryptoError) {
            let secret = try RecoverySecret(of: slot, privateKey: privateKey)
            let context = try HPKE.Recipient(
                privateKey: privateKey, encapsulatedKey: slot.encapsulatedKey, info: info(content.databaseID),
                preSharedKey: try secret.preSharedKey())
            guard let master = try open(slot, context, exporterContext, masterID: content.masterID),
                try RecoverySecret(in: slot, under: master, databaseID: content.databaseID).isEqual(to: secret)
            else { throw CryptoError(.authenticationFailed, "the key slot wasn't made with this recovery key") }
            return master
        } catch {
            guard [.authenticationFailed, .invalidKey].contains(error.code) else {
                throw SealedFileError(crypto: error)
            }
            throw .forgedRecoverySlot(number)
        }
    }

    private static func openUnauthenticated(
        _ slots: [(number: Int, slot: KeySlot)], _ masterID: [UInt8], _ privateKey: borrowing SecretBytes
    ) throws(SealedFileError) -> (number: Int, slot: KeySlot, master: MasterKey)? {
        for (number, slot) in slots {
            do throws(CryptoError) {
                let context = try HPKE.Recipient(
                    privateKey: privateKey, encapsulatedKey: slot.encapsulatedKey, info: oldInfo)
                if let master = try open(slot, context, oldExporterContext, masterID: masterID) {
                    return (number, slot, master)
                }
            } catch {
                // An encapsulated key of small order, which no writer produces.
                guard error.code == .invalidKey else { throw SealedFileError(crypto: error) }
                throw .forgedRecoverySlot(number)
            }
        }
        return nil
    }

    /// Unwraps the master key with the key-encryption key that the HPKE exchange exports; nil if the check value shows
    /// that the slot was sealed with another key-encryption key.
    private static func open(
        _ slot: KeySlot, _ context: consuming HPKE.Recipient, _ exporterContext: [UInt8], masterID: [UInt8]
    ) throws(CryptoError) -> MasterKey? {
        var context = context
        let kek = SlotKEK(slotID: slot.id, key: try context.export(context: exporterContext, byteCount: 32))
        guard try kek.accepts(slot, masterID: masterID) else { return nil }
        let key = try context.open(slot.wrapped, associatedData: slot.headerBytes + masterID)
        return MasterKey(id: masterID, key: key)
    }
}

extension UnlockKey {
    /// Returns the fingerprint of a recovery key; nil for other kinds.
    package borrowing func recoveryFingerprint() throws(SealedFileError) -> String? {
        switch self {
        case .recoveryKey(let key): return key.fingerprint
        default: return nil
        }
    }
}

extension SealedFileError {
    static func unauthenticatedSlot(_ number: Int) -> SealedFileError {
        SealedFileError(
            .unauthenticatedSlot,
            "key slot \(number) is a recovery slot of an earlier version, which doesn't prove who made the file",
            hint: "open the file with another secret; if there is none, the program has to accept this slot")
    }

    static func forgedRecoverySlot(_ number: Int) -> SealedFileError {
        SealedFileError(
            .tamperedHeader,
            "key slot \(number) has this recovery key's public half, but was created by someone without the recovery key",
            hint:
                "unlock the file with a passphrase or raw key, or restore it from a backup"
        )
    }

    static func slotOlderThanKey(_ number: Int) -> SealedFileError {
        SealedFileError(
            .tamperedHeader,
            "key slot \(number) is of an earlier version than this recovery key, which never had such a slot: someone without the"
                + " recovery key made it",
            hint:
                "unlock the file with a passphrase or raw key, or restore it from a backup"
        )
    }

    static func downgradedSlot(_ number: Int) -> SealedFileError {
        SealedFileError(
            .tamperedHeader,
            "key slot \(number) doesn't prove who made it, and the same recovery key has another slot that does",
            hint: Remedy.leaveOutSlot.hint)
    }
}
