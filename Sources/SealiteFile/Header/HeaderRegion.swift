internal import SealiteCrypto

/// Both copies of a header, and the index of the copy in force: the valid copy with the higher generation, or the only
/// valid copy. `Documentation/FORMAT.md` §4.3.
package struct HeaderRegion: Sendable {
    package let copies: [Result<HeaderImage, HeaderDefect>]
    /// The index, 0 or 1, of the copy in force: the valid copy with the higher generation, or the only valid copy.
    package let chosen: Int

    /// The header copy in force: the valid copy with the higher generation, or the only valid copy.
    package let image: HeaderImage
    package var content: HeaderContent { image.content }

    /// Reads both copies from the first 8192 bytes of a file (or fewer, if the file is shorter).
    package init(parsing bytes: [UInt8]) throws(SealedFileError) {
        let copies = [0, 1].map { index in
            Result { () throws(HeaderDefect) in
                let start = index * HeaderLayout.copyByteCount
                guard bytes.count >= start + HeaderLayout.copyByteCount else {
                    throw bytes.starts(with: HeaderLayout.magic) ? .damaged("the file ends within it") : .notSealed
                }
                return try HeaderImage(parsing: bytes.slice(start, HeaderLayout.copyByteCount))
            }
        }
        self.copies = copies
        switch (copies[0], copies[1]) {
        case (.success(let first), .success(let second)):
            guard first.content.generation != second.content.generation || first.bytes.hasSameBytes(as: second.bytes)
            else {
                throw .damagedHeader("its two copies have the same generation number and different content")
            }
            chosen = second.content.generation > first.content.generation ? 1 : 0
            image = chosen == 1 ? second : first
        case (.success, .failure(.unsupported(let what))), (.failure(.unsupported(let what)), .success):
            // A whole copy of an unknown version: a newer writer made it, and this one can't judge it.
            throw .unsupportedVersion(what)
        case (.success, .failure(.removed(let what))), (.failure(.removed(let what)), .success):
            // Such a slot must not be ignored, although the other copy lacks it.
            throw .removedFormat(what)
        case (.success(let first), .failure):
            (chosen, image) = (0, first)
        case (.failure, .success(let second)):
            (chosen, image) = (1, second)
        case (.failure(let first), .failure(let second)):
            throw Self.error(first, second, bytes: bytes)
        }
    }

    private static func error(_ first: HeaderDefect, _ second: HeaderDefect, bytes: [UInt8]) -> SealedFileError {
        switch (first, second) {
        case (.unsupported(let what), _), (_, .unsupported(let what)): .unsupportedVersion(what)
        case (.removed(let what), _), (_, .removed(let what)): .removedFormat(what)
        case (.notSealed, .notSealed):
            bytes.starts(with: HeaderLayout.plainMagic) ? .plainDatabase() : .notSealed(byteCount: bytes.count)
        case (.damaged(let what), _), (_, .damaged(let what)), (.illegal(let what), _), (_, .illegal(let what)):
            .damagedHeader(what)
        }
    }

    /// The index of the header copy that the next writer must rewrite, because it is damaged or older than the other
    /// copy; nil if both are current.
    package var staleCopy: Int? {
        let other = 1 - chosen
        assert(other == 0 || other == 1, "a header has two copies")
        guard case .success(let image) = copies[other] else { return other }
        assert(image.content.generation <= content.generation, "the copy in force is the newer one")
        return image.content.generation == content.generation ? nil : other
    }

    /// The index, 0 or 1, of a copy that couldn't be parsed, whatever its defect; nil if both could.
    package var damagedCopy: Int? {
        copies.firstIndex { if case .failure = $0 { true } else { false } }
    }
}

extension HeaderRegion {
    /// Checks the MAC of every copy that names this master key, and that no copy with a valid checksum violates the
    /// format. Returns a description of the first copy that fails; nil if none does. `Documentation/FORMAT.md` §4.3.
    package func tampering(under master: MasterKey) throws(SealedFileError) -> HeaderTampering? {
        assert(copies.count == 2)
        for (index, copy) in copies.enumerated() {
            if case .failure(.illegal(let what)) = copy {
                return HeaderTampering(
                    reason: "header copy \(index) has a correct checksum and \(what)", copy: index, chosenCopy: false)
            }
            guard case .success(let image) = copy, image.content.masterID == master.id else { continue }
            let isAuthentic = try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try image.isAuthentic(under: master)
            }
            guard !isAuthentic else { continue }
            return HeaderTampering(
                reason: "the MAC of header copy \(index) is wrong", copy: index, chosenCopy: index == chosen)
        }
        return nil
    }
}
