internal import SealiteCrypto

/// The evidence that a file was created by its owner, and not forged by somebody who saw the public half of a recovery
/// key. `Documentation/FORMAT.md` §5.4.
enum FileTrust: Sendable {
    /// The file was opened by a secret without a public half or by an authenticated recovery slot, it matched a
    /// freshness record, or the caller vouches for it.
    case proven
    /// The file was opened by an unauthenticated recovery slot alone, whose number counts from 1.
    case unproven(slot: Int)
}

extension KeyRing {
    /// Throws `unauthenticatedSlot` if only an unauthenticated recovery slot opened the file. Called before the file's
    /// keys are changed or its freshness is recorded: if the file is forged, the forger could read the secret of a
    /// recovery slot created in it, and a new slot or record would later pass as proof. Throws `locked` for such a
    /// file after its keys were wiped.
    package func requireProven() throws(SealedFileError) {
        guard case .unproven(let slot) = trust else { return }
        throw isLocked ? .keysLocked(path) : .unprovenFile(path, slot: slot)
    }
}

extension SealedFileError {
    static func unprovenFile(_ path: String, slot: Int) -> SealedFileError {
        SealedFileError(
            .unauthenticatedSlot,
            "\"\(path)\" was opened by key slot \(slot) alone, a recovery slot of an earlier version: anyone who has seen its public"
                + " key can forge such a file, so its keys aren't changed and no freshness record of it is written",
            hint: Remedy.proveFile.hint)
    }
}
