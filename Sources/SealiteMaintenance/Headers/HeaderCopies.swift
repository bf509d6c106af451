import CSQLite
import SealiteCrypto
import SealiteFile

/// The two header copies of a file, each judged on its own: the basis of a repair if they contradict each other or one
/// is lost.
struct HeaderCopies {
    let images: [Result<HeaderImage, HeaderDefect>]

    init(_ file: BaseFile) throws(SealedFileError) {
        let bytes = try SealedFileError.mapping { () throws(VFSFailure) in
            try file.bytes(HeaderLayout.regionByteCount, at: 0).get()
        }
        images = [0, 1].map { copy in
            Result { () throws(HeaderDefect) in
                let start = copy * HeaderLayout.copyByteCount
                guard bytes.count >= start + HeaderLayout.copyByteCount else {
                    throw .damaged("the file ends within it")
                }
                return try HeaderImage(parsing: bytes.slice(start, HeaderLayout.copyByteCount))
            }
        }
    }

    /// The copies whose checksum is valid and whose content could be parsed.
    var whole: [HeaderImage] { images.compactMap { try? $0.get() } }

    /// A header copy whose MAC proves that it was written with the key.
    struct Authentic {
        let copy: Int
        let image: HeaderImage
        let opened: SlotOpening.Opened
    }

    /// Returns the header copy to keep: among the copies, or only copy `wanted`, the one that the key opens and whose
    /// MAC is valid. A copy that only an unauthenticated recovery slot opens counts only if no other copy is authentic.
    func authentic(
        key: borrowing UnlockKey, limits: UnlockLimits, only wanted: Int?
    ) throws(SealedFileError) -> Authentic {
        var strict = limits
        strict.acceptsUnauthenticatedSlots = false
        var (found, failure) = authenticCopies(key: key, limits: strict, only: wanted)
        if found.isEmpty, limits.acceptsUnauthenticatedSlots, failure?.code == .unauthenticatedSlot {
            (found, failure) = authenticCopies(key: key, limits: limits, only: wanted)
            for copy in found { try requireNoDowngrade(copy.image.content, by: copy.opened.recovery) }
        }
        guard let first = found.first else {
            throw failure ?? noneAuthentic(only: wanted)
        }
        if let second = found.dropFirst().first {
            // Two copies that only unauthenticated recovery slots open may have different authors.
            let isProven = [first, second].allSatisfy { $0.opened.recovery?.isAuthenticated ?? true }
            let isPlain = isProven && first.image.content.generation != second.image.content.generation
            throw isPlain || first.image == second.image
                ? SealedFileError(
                    .refused,
                    "there is no header copy to choose: both are authentic, and either equal or the newer one is in force"
                )
                : SealedFileError(
                    .refused,
                    isProven
                        ? "both header copies are authentic and have the same generation number, but different content"
                        : "both header copies can be opened only by recovery slots that don't prove who made them, and they differ",
                    hint: "name the copy to keep, 0 or 1")
        }
        return first
    }

    /// Returns the error for the lack of an authentic copy, among both or only copy `wanted`, although the key wasn't
    /// refused: `damagedHeader` if no checksum is valid, otherwise `tamperedHeader`.
    private func noneAuthentic(only wanted: Int?) -> SealedFileError {
        let damaged = images.indices.filter { copy in
            guard wanted ?? copy == copy, case .failure(let defect) = images[copy] else { return false }
            return if case .illegal = defect { false } else { true }
        }
        guard damaged.count == (wanted == nil ? images.count : 1) else {
            return .tamperedHeader("no copy of it, or not the one to keep, has a valid MAC")
        }
        return SealedFileError(
            .damagedHeader,
            wanted.map { "header copy \($0) is damaged, and can't be kept" } ?? "both header copies are damaged",
            hint: Remedy.restoreHeader.hint)
    }

    private func authenticCopies(
        key: borrowing UnlockKey, limits: UnlockLimits, only wanted: Int?
    ) -> (found: [Authentic], failure: SealedFileError?) {
        var found: [Authentic] = []
        var failure: SealedFileError?
        for copy in 0..<images.count where wanted ?? copy == copy {
            guard case .success(let image) = images[copy] else { continue }
            do throws(SealedFileError) {
                let opened = try SlotOpening.open(image.content, with: key, limits: limits)
                let isAuthentic = try SealedFileError.mappingCrypto { () throws(CryptoError) in
                    try image.isAuthentic(under: opened.master)
                }
                if isAuthentic { found.append(Authentic(copy: copy, image: image, opened: opened)) }
            } catch {
                // A slot refused in this pass may be accepted in the second one, whatever the other copy's error is.
                if failure?.code != .unauthenticatedSlot { failure = error }
            }
        }
        return (found, failure)
    }

    /// Refuses a header that an unauthenticated recovery slot opened if a copy in the file has an authenticated slot
    /// for the same key: `Documentation/FORMAT.md` §5.3, step 1.
    func requireNoDowngrade(_ content: HeaderContent, by recovery: OpenedRecovery?) throws(SealedFileError) {
        guard let recovery, !recovery.isAuthenticated else { return }
        let keys = Set(recovery.slots.map(\.publicKey))
        let isDowngrade = whole.contains { image in
            image.content.recoveryNames.contains { $0.kind == .recovery && keys.contains($0.publicKey) }
        }
        guard !isDowngrade else { throw .downgradedHeader(recovery.slotNumber) }
    }

    /// Writes a new header over both copies. If there was an intact copy, at least one copy is intact at any time,
    /// because the copy to preserve is overwritten last.
    ///
    /// - Parameters:
    ///   - header: the new header.
    ///   - file: the database's file.
    ///   - kept: the number of the copy that the user chose to keep, which is overwritten last; nil for the first
    ///     intact one.
    /// - Returns: the report on the header.
    /// - Throws: `SealedFileError`: the errors of writing and syncing the file, and of OpenSSL.
    func replace(
        with header: SavedHeader, on file: BaseFile, keeping kept: Int? = nil
    ) throws(SealedFileError) -> HeaderReport {
        let master = try header.ring.masterKey()
        let content = try header.content.succeeding(whole, master: master)
        let image = try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try HeaderImage(content, master: master)
        }
        let good = kept ?? images.firstIndex { if case .success = $0 { true } else { false } } ?? 1
        try SealedFileError.mapping { () throws(VFSFailure) in
            for copy in [1 - good, good] {
                try check(file.write(image.bytes, at: Int64(copy * HeaderLayout.copyByteCount)))
                try check(file.sync(SQLITE_SYNC_FULL))
            }
        }
        let opened = header.ring.recovery.map { $0.isAuthenticated ? nil : $0.slotNumber } ?? nil
        return HeaderReport(
            content,
            warnings: (header.ring.recovery?.warnings ?? [])
                + content.keptSlotWarnings.filter { $0 != .unauthenticatedSlotKept(number: opened ?? 0) })
    }
}

extension SealedFileError {
    static func downgradedHeader(_ number: Int) -> SealedFileError {
        SealedFileError(
            .tamperedHeader,
            "key slot \(number) of the chosen header, a saved one or a header copy, doesn't prove who made that header, and the file "
                + "has a slot for the same recovery key that does",
            hint: "open the chosen header with another secret, or keep the other header copy")
    }
}
