/// The evidence that a file was made by its owner, and not by somebody who merely saw a recovery key's public half.
/// `Documentation/FORMAT.md` §5.4.
enum FileTrust: Sendable {
    /// A secret without a public half opened the file, or an authenticated recovery slot; or the file passed a freshness record; or
    /// the caller answers for it.
    case proven
    /// Nothing but an unauthenticated recovery slot opened the file.
    case unproven
}

extension KeyRing {
    /// Refuses to change the keys of a file that nothing but an unauthenticated recovery slot opened, and to record it. In a forged file
    /// the secret of a recovery slot made there would be the forger's to read; a slot added there, or a record of it, would later
    /// pass for proof.
    package func requireProven() throws(SealedFileError) {
        guard case .proven = trust else { throw .unprovenFile(path, slot: recovery?.slotNumber ?? 0) }
    }
}

extension SealedFileError {
    static func unprovenFile(_ path: String, slot: Int) -> SealedFileError {
        SealedFileError(
            .unauthenticatedSlot,
            "only key slot \(slot) opened \"\(path)\", a recovery slot of an earlier version, to which anyone who has seen its"
                + " public key can make a file: neither its keys nor a freshness record of it are written",
            hint:
                "open it with another secret, check it against a freshness record of this version with --freshness, or,"
                + " if you are certain that nobody exchanged the file, say --trust-file")
    }
}
