/// The evidence that a file was made by its owner, and not by somebody who merely saw a recovery key's public half.
/// `Documentation/FORMAT.md` §5.4.
enum FileTrust: Sendable {
    /// A secret without a public half opened the file, or an authenticated recovery slot; or the file passed a freshness record; or
    /// the caller answers for it.
    case proven
    /// Nothing but an unauthenticated recovery slot opened the file.
    case unproven
    /// As `unproven`, and this handle wrote a freshness record of the file, which from then on would only confirm itself.
    case unprovenRecorded
}

extension KeyRing {
    /// Takes note that the file passed a freshness record with a MAC: whoever made it had a master key of the recorded file.
    func proveByRecord() {
        updateTrust { trust in if case .unproven = trust { trust = .proven } }
    }

    /// Takes note that another secret than an unauthenticated recovery slot's opened the same master key.
    func proveBySecret() {
        updateTrust { $0 = .proven }
    }

    /// Takes note that a freshness record of the file was written.
    func noteRecordWritten() {
        updateTrust { trust in if case .unproven = trust { trust = .unprovenRecorded } }
    }

    /// Refuses to change the keys of a file that nothing but an unauthenticated recovery slot opened. In a forged file the secret of a
    /// recovery slot made there would be the forger's to read, and a slot added there would later pass for proof.
    func requireProven() throws(SealedFileError) {
        guard case .proven = trust else { throw .unprovenFile(path, slot: recovery?.slotNumber ?? 0) }
    }
}

extension SealedFileError {
    static func unprovenFile(_ path: String, slot: Int) -> SealedFileError {
        SealedFileError(
            .unauthenticatedSlot,
            "the keys of \"\(path)\" aren't changed: only key slot \(slot) opened it, a recovery slot of an earlier version,"
                + " to which anyone who has seen its public key can make a file",
            hint:
                "open it with another secret, check it against a freshness record of this version with --freshness, or,"
                + " if you are certain that nobody exchanged the file, say --trust-file")
    }
}
