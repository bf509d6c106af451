package import SealiteCrypto

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

/// A whole header copy as bytes on disk, its content parsed and its checksum valid. Checking its MAC requires the
/// master key.
package struct HeaderImage: Equatable, Sendable {
    package let bytes: [UInt8]
    package let content: HeaderContent

    /// Parses one copy of 4096 bytes.
    package init(parsing bytes: [UInt8]) throws(HeaderDefect) {
        guard bytes.count == HeaderLayout.copyByteCount, bytes.starts(with: HeaderLayout.magic) else {
            throw .notSealed
        }
        guard (try? Self.checksum(of: bytes)) == bytes.slice(HeaderLayout.checksum, HeaderLayout.checksumByteCount)
        else { throw .damaged("its checksum is wrong") }
        self.bytes = bytes
        do throws(HeaderDefect) {
            content = try HeaderContent.parse(bytes)
        } catch {
            guard case .damaged(let what) = error else { throw error }
            throw .illegal(what)
        }
    }

    /// Encodes a header copy from its content, with a MAC under the master key.
    package init(_ content: HeaderContent, master: MasterKey) throws(CryptoError) {
        var bytes = content.encodedWithoutCodes()
        let authenticated = bytes.slice(0, HeaderLayout.authenticationCode)
        assert(authenticated.count == HeaderLayout.authenticationCode, "the MAC covers all that precedes it")
        bytes.write(try master.authenticationCode(for: authenticated), at: HeaderLayout.authenticationCode)
        bytes.write(try Self.checksum(of: bytes), at: HeaderLayout.checksum)
        assert(bytes.count == HeaderLayout.copyByteCount)
        self.bytes = bytes
        self.content = content
    }

    /// Throws `internalFailure` if readers would reject this header, for example because two slots have the same label.
    func requireLegal() throws(SealedFileError) {
        do throws(HeaderDefect) {
            _ = try HeaderImage(parsing: bytes)
        } catch {
            let defect =
                switch error {
                case .damaged(let what), .illegal(let what), .unsupported(let what), .removed(let what): what
                case .notSealed: "no magic number"
                }
            throw SealedFileError(
                .internalFailure, "a header that can't be read wasn't written: it would have \(defect)",
                hint: "try again")
        }
    }

    /// Returns whether the copy's MAC is valid under this master key.
    package func isAuthentic(under master: MasterKey) throws(CryptoError) -> Bool {
        assert(bytes.count == HeaderLayout.copyByteCount)
        return try master.isAuthentic(
            bytes.slice(HeaderLayout.authenticationCode, 32),
            for: bytes.slice(0, HeaderLayout.authenticationCode))
    }

    private static func checksum(of bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        Array(try SHA256.digest(of: bytes.slice(0, HeaderLayout.checksum))[0..<HeaderLayout.checksumByteCount])
    }
}

/// Increments of a header's counters. The counters are read from disk, where anyone can write any value with a matching
/// checksum, so an increment may overflow.
extension HeaderContent {
    /// The lead over this header's counter from which a copy's counter is ignored as forged: no real sequence of writes
    /// leaves one header so far ahead of another.
    private static let plausibleLead: UInt64 = 1 << 32

    /// Raises the generation by one, for a header that is about to be written.
    package mutating func raiseGeneration() throws(SealedFileError) { try Self.raise(&generation, "header generation") }

    /// Raises the freshness counter by one, before a freshness record with the new value is written.
    package mutating func raiseFreshness() throws(SealedFileError) { try Self.raise(&freshness, "freshness counter") }

    private static func raise(_ counter: inout UInt64, _ name: String) throws(SealedFileError) {
        let (next, overflow) = counter.addingReportingOverflow(1)
        guard !overflow else {
            throw SealedFileError(
                .refused, "the file's \(name) has its maximum value and can't be raised",
                hint: FileRemedy.copyByBackup.hint)
        }
        counter = next
    }

    /// Returns this header in the form to be written over both copies: with a generation above the copies' generations
    /// and a freshness counter that is no lower than theirs. A counter of a copy that is 2^32 or more ahead of this
    /// header's is ignored as forged. A copy's application key is taken over if this header has none.
    package func succeeding(_ copies: [HeaderImage], master: MasterKey) throws(SealedFileError) -> HeaderContent {
        var next = self
        if next.applicationKey == nil {
            // A key wrapped under the master key for this database is authentic whatever the rest of its copy is.
            next.applicationKey = copies.lazy.map(\.content).filter { $0.masterID == master.id }
                .compactMap(\.applicationKey).first {
                    (try? master.unwrapApplicationKey($0, databaseID: next.databaseID)) != nil
                }
        }
        for copy in copies.map(\.content) {
            next.generation = Self.later(next.generation, copy.generation)
            next.freshness = Self.later(next.freshness, copy.freshness)
        }
        try next.raiseGeneration()
        assert(next.generation > generation && next.freshness >= freshness, "counters never go back")
        assert(next.databaseID == databaseID && next.pageSize == pageSize && next.masterID == masterID)
        return next
    }

    private static func later(_ known: UInt64, _ found: UInt64) -> UInt64 {
        found > known && found - known < plausibleLead ? found : known
    }
}

/// Describes a header copy that somebody without the file's key wrote or changed.
package struct HeaderTampering {
    package let reason: String
    /// The copy's number, 0 or 1.
    package let copy: Int
    /// A Boolean value that says whether the tampered copy is the copy in force. If so, no field of the header can be
    /// trusted.
    let chosenCopy: Bool
}
