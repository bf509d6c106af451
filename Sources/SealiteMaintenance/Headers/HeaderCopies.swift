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
    /// MAC is valid.
    func authentic(
        key: borrowing UnlockKey, limits: UnlockLimits, only wanted: Int?
    ) throws(SealedFileError) -> Authentic {
        let (found, failure) = authenticCopies(key: key, limits: limits, only: wanted)
        guard let first = found.first else {
            throw failure ?? noneAuthentic(only: wanted)
        }
        if let second = found.dropFirst().first {
            throw first.image.content.generation != second.image.content.generation || first.image == second.image
                ? SealedFileError(
                    .refused,
                    "there is no header copy to choose: both are authentic, and either equal or the newer one is in force"
                )
                : SealedFileError(
                    .refused,
                    "both header copies are authentic and have the same generation number, but different content",
                    hint: "name the copy to keep, 0 or 1")
        }
        return first
    }

    /// Returns the error for the lack of an authentic copy, among both or only copy `wanted`, although the key wasn't
    /// refused: `unsupportedVersion` if one has an unknown or removed format, `damagedHeader` if no checksum is valid,
    /// otherwise `tamperedHeader`.
    private func noneAuthentic(only wanted: Int?) -> SealedFileError {
        let named = images.indices.filter { wanted ?? $0 == $0 }
        var damagedCount = 0
        for copy in named {
            guard case .failure(let defect) = images[copy] else { continue }
            switch defect {
            case .unsupported(let what): return .unsupportedVersion(what)
            case .removed(let what): return .removedFormat(what)
            case .notSealed, .damaged: damagedCount += 1
            case .illegal: break
            }
        }
        guard damagedCount == named.count else {
            return .tamperedHeader("no copy of it, or not the one to keep, has a valid MAC")
        }
        return SealedFileError(
            .damagedHeader,
            wanted.map { "header copy \($0) is damaged, and can't be kept" } ?? "both header copies are damaged",
            hint: FileRemedy.restoreHeader.hint)
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
                failure = error
            }
        }
        return (found, failure)
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
        return HeaderReport(content)
    }
}
