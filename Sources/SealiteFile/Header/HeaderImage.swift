package import SealiteCrypto

/// A whole header copy as bytes on disk, its content parsed and its checksum right. Whether its MAC is right is known
/// only to who has the master key.
package struct HeaderImage: Equatable, Sendable {
    package let bytes: [UInt8]
    package let content: HeaderContent

    /// Reads one copy of 4096 bytes.
    package init(parsing bytes: [UInt8]) throws(HeaderDefect) {
        guard bytes.count == HeaderLayout.copyByteCount, bytes.starts(with: HeaderLayout.magic) else {
            throw .notSealed
        }
        guard (try? Self.checksum(of: bytes)) == bytes.slice(HeaderLayout.checksum, HeaderLayout.checksumByteCount)
        else { throw .damaged("its checksum doesn't fit") }
        self.bytes = bytes
        do throws(HeaderDefect) {
            content = try HeaderContent.parse(bytes)
        } catch {
            guard case .damaged(let what) = error else { throw error }
            throw .illegal(what)
        }
    }

    /// Makes a copy from its content, under the current master key.
    package init(_ content: HeaderContent, master: MasterKey) throws(CryptoError) {
        var bytes = content.encodedWithoutCodes()
        let authenticated = bytes.slice(0, HeaderLayout.authenticationCode)
        bytes.write(try master.authenticationCode(for: authenticated), at: HeaderLayout.authenticationCode)
        bytes.write(try Self.checksum(of: bytes), at: HeaderLayout.checksum)
        self.bytes = bytes
        self.content = content
    }

    /// Returns whether the copy was written by someone who had this master key.
    package func isAuthentic(under master: MasterKey) throws(CryptoError) -> Bool {
        try master.isAuthentic(
            bytes.slice(HeaderLayout.authenticationCode, 32),
            for: bytes.slice(0, HeaderLayout.authenticationCode))
    }

    private static func checksum(of bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        Array(try SHA256.digest(of: bytes.slice(0, HeaderLayout.checksum))[0..<HeaderLayout.checksumByteCount])
    }
}

/// Both copies of a header, and which of them counts. `Documentation/FORMAT.md` §4.3.
package struct HeaderRegion: Sendable {
    package let copies: [Result<HeaderImage, HeaderDefect>]
    /// 0 or 1: the copy that counts.
    package let chosen: Int

    /// The copy that counts.
    package let image: HeaderImage
    package var content: HeaderContent { image.content }

    /// Reads both copies from the first 8192 bytes of a file (or fewer, if the file is shorter).
    package init(parsing bytes: [UInt8]) throws(SealedFileError) {
        let copies = [0, 1].map { index in
            Result { () throws(HeaderDefect) in
                let start = index * HeaderLayout.copyByteCount
                guard bytes.count >= start + HeaderLayout.copyByteCount else {
                    throw bytes.starts(with: HeaderLayout.magic) ? .damaged("it is cut short") : .notSealed
                }
                return try HeaderImage(parsing: bytes.slice(start, HeaderLayout.copyByteCount))
            }
        }
        self.copies = copies
        switch (copies[0], copies[1]) {
        case (.success(let first), .success(let second)):
            guard first.content.generation != second.content.generation || first.bytes == second.bytes else {
                throw .damagedHeader("its two copies have one generation and different content")
            }
            chosen = second.content.generation > first.content.generation ? 1 : 0
            image = chosen == 1 ? second : first
        case (.success, .failure(.unsupported(let what))), (.failure(.unsupported(let what)), .success):
            // A whole copy of a version we don't know: its writer knew more than we do.
            throw .unsupportedVersion(what)
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
        case (.notSealed, .notSealed):
            bytes.starts(with: HeaderLayout.plainMagic) ? .plainDatabase() : .notSealed(byteCount: bytes.count)
        case (.damaged(let what), _), (_, .damaged(let what)), (.illegal(let what), _), (_, .illegal(let what)):
            .damagedHeader(what)
        }
    }

    /// The copy that a writer must write anew, if there is one: damaged, or older than the other.
    package var staleCopy: Int? {
        let other = 1 - chosen
        guard case .success(let image) = copies[other] else { return other }
        return image.content.generation == content.generation ? nil : other
    }

    /// The copy whose checksum failed, if there is one.
    package var damagedCopy: Int? {
        copies.firstIndex { if case .failure = $0 { true } else { false } }
    }
}

/// A header copy that someone made without the key.
package struct HeaderTampering {
    package let reason: String
    /// The copy's number, 0 or 1.
    package let copy: Int
    /// True where it is the copy that counts, so that nothing in it can be believed.
    let chosenCopy: Bool
}

extension HeaderRegion {
    /// Checks the MAC of each copy that carries the master id of this master key, and that no copy with a right checksum
    /// breaks a rule of the format. `Documentation/FORMAT.md` §4.3.
    package func tampering(under master: MasterKey) throws(SealedFileError) -> HeaderTampering? {
        for (index, copy) in copies.enumerated() {
            if case .failure(.illegal(let what)) = copy {
                return HeaderTampering(
                    reason: "header copy \(index) has a right checksum and \(what)", copy: index, chosenCopy: false)
            }
            guard case .success(let image) = copy, image.content.masterID == master.id else { continue }
            let isAuthentic = try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try image.isAuthentic(under: master)
            }
            guard !isAuthentic else { continue }
            return HeaderTampering(
                reason: "the MAC of header copy \(index) doesn't fit", copy: index, chosenCopy: index == chosen)
        }
        return nil
    }
}
