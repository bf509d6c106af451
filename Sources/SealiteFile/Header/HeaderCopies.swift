import CSQLite
import SealiteCrypto

/// Both header copies of a file taken for themselves: what a repair starts from, where they contradict each other or nothing
/// is left of one.
struct HeaderCopies {
    let images: [Result<HeaderImage, HeaderDefect>]

    init(_ file: BaseFile) throws(SealedFileError) {
        let bytes = try SealedFileError.mapping { () throws(VFSFailure) in
            try file.bytes(HeaderLayout.regionByteCount, at: 0).get()
        }
        images = [0, 1].map { copy in
            Result { () throws(HeaderDefect) in
                let start = copy * HeaderLayout.copyByteCount
                guard bytes.count >= start + HeaderLayout.copyByteCount else { throw .damaged("it is cut short") }
                return try HeaderImage(parsing: bytes.slice(start, HeaderLayout.copyByteCount))
            }
        }
    }

    /// The copies whose checksum is right.
    var whole: [HeaderImage] { images.compactMap { try? $0.get() } }

    /// A copy that was written with the key.
    struct Authentic {
        let copy: Int
        let image: HeaderImage
        let master: MasterKey
    }

    /// The one copy that counts once a person has decided.
    func authentic(
        key: borrowing UnlockKey, limits: UnlockLimits, only wanted: Int?
    ) throws(SealedFileError) -> Authentic {
        var found: [Authentic] = []
        var failure: SealedFileError?
        for copy in 0..<images.count where wanted ?? copy == copy {
            guard case .success(let image) = images[copy] else { continue }
            do throws(SealedFileError) {
                let master = try SlotOpening.open(image.content, with: key, limits: limits).master
                let isAuthentic = try SlotOpening.mapped { () throws(CryptoError) in
                    try image.isAuthentic(under: master)
                }
                if isAuthentic { found.append(Authentic(copy: copy, image: image, master: master)) }
            } catch {
                failure = error
            }
        }
        guard let first = found.first else {
            throw failure ?? .tamperedHeader("no copy of it has a MAC that fits")
        }
        if let second = found.dropFirst().first {
            let isPlain = first.image.content.generation != second.image.content.generation
            throw isPlain || first.image == second.image
                ? SealedFileError(.refused, "both header copies are authentic: there is nothing to decide")
                : SealedFileError(
                    .refused, "both header copies are authentic and of one generation, and they differ",
                    hint: "name the copy to keep, 0 or 1")
        }
        return first
    }

    /// Writes a new header over both copies. One whole copy is in the file at any moment, if one was there before: the copy
    /// that is good, or that a person decided for, goes last.
    func replace(
        with content: HeaderContent, master: MasterKey, on file: BaseFile, keeping kept: Int? = nil
    ) throws(SealedFileError) -> HeaderReport {
        let image = try SlotOpening.mapped { () throws(CryptoError) in try HeaderImage(content, master: master) }
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
