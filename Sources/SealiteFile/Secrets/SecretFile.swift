import CSQLite
import Glibc
public import SealiteCrypto

/// A file, or an open descriptor of the caller, from which a secret is read.
///
/// A regular file that the group or others may read or write is refused; pipes, sockets, files without a name and
/// systemd's own credentials are accepted, since their modes don't determine who can read them. At most 1 KiB of a
/// secret is read. The bytes are stored in `SecretBytes` alone; errors name the file or descriptor, never its content.
/// Thread-safe.
public enum SecretFile: Sendable {
    /// The file at a path. It is opened and closed.
    case path(String)
    /// An open descriptor, read to its end. It stays open.
    case descriptor(CInt)

    /// The maximum length of a passphrase in bytes.
    public static let passphraseByteLimit = 1024

    /// Reads every byte to the end except one trailing line end (LF or CR LF), without Unicode normalisation or other
    /// trimming.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission` (also for a mode that is too open), `inputOutput`;
    ///   `invalidArgument` for a folder, and if the content is empty, contains a NUL, or exceeds 1 KiB.
    public func passphrase() throws(SealedFileError) -> SecretBytes { try passphrase(called: "passphrase") }

    /// Reads a passphrase as `passphrase()` does; errors call it `noun`.
    package func passphrase(called noun: String) throws(SealedFileError) -> SecretBytes {
        let contents = try read()
        let text = contents.withoutLineEnd()
        guard text.byteCount > 0 else { throw refusal("the \(noun) is empty") }
        guard text.byteCount <= Self.passphraseByteLimit else { throw tooLong(Self.passphraseByteLimit) }
        guard unsafe text.withUnsafeBytes({ unsafe !$0.contains(0) }) else {
            throw refusal("the \(noun) holds a NUL byte")
        }
        return text
    }

    /// Reads all bytes; throws `invalidArgument` if there are none, or more than `limit`. If `isSecret` is false, the
    /// file may be readable and writable by others.
    package func contents(limit: Int, isSecret: Bool) throws(SealedFileError) -> SecretBytes {
        let contents = try read(limit: limit, isSecret: isSecret)
        guard contents.byteCount > 0 else { throw refusal("the input is empty") }
        return contents.prefix(contents.byteCount)
    }

    /// Reads exactly 32 bytes, or 64 hex digits and at most one line end.
    ///
    /// - Throws: `SealedFileError`: as `passphrase()`; `invalidArgument` for any other content, with a reason that says
    ///   what kind of content was found.
    public func rawKey() throws(SealedFileError) -> SecretBytes {
        let contents = try read(of: .rawKey)
        guard let key = contents.rawKey() else {
            let isRecoveryKey = (try? SecretText.recoveryKey(from: contents.prefix(contents.byteCount))) != nil
            throw refusal(
                Noun.rawKey.refusal(found: isRecoveryKey ? "a recovery key" : contents.outline),
                hint: isRecoveryKey
                    ? FileRemedy.useAsRecoveryKey.hint : contents.isLine ? FileRemedy.useAsPassphrase.hint : nil)
        }
        return key
    }

    /// Reads a recovery key in its printed form: base32 in groups of 4. Case, spaces, line ends and dashes are ignored.
    ///
    /// - Throws: `SealedFileError`: as `passphrase()`; `invalidArgument` if the text is no recovery key, or if its
    ///   checksum shows a copying mistake; `internalFailure`.
    public func recoveryKey() throws(SealedFileError) -> RecoveryKey {
        let contents = try read(of: .recoveryKey)
        do throws(SealedFileError) {
            return try SecretText.recoveryKey(from: contents.prefix(contents.byteCount))
        } catch {
            guard error.code == .invalidArgument else { throw error }
            guard contents.rawKey() == nil else {
                throw refusal(Noun.recoveryKey.refusal(found: "a raw key"), hint: FileRemedy.useAsRawKey.hint)
            }
            throw refusal(error.reason)
        }
    }

    // MARK: Reading

    private static let readLimit = passphraseByteLimit + 2

    /// Reads a key. Content that is too long for any secret is refused as content of another kind.
    private func read(of noun: Noun) throws(SealedFileError) -> SecretContents {
        do throws(SealedFileError) {
            return try read()
        } catch {
            var status = stat()
            guard error.code == .invalidArgument, case .path(let path) = self, unsafe stat(path, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG, status.st_size > Self.readLimit
            else { throw error }
            throw refusal(noun.refusal(found: "\(status.st_size) bytes"))
        }
    }

    private func read(
        limit: Int = SecretFile.readLimit, isSecret: Bool = true
    ) throws(SealedFileError) -> SecretContents {
        switch self {
        case .descriptor(let descriptor):
            return try read(from: descriptor, limit, isSecret)
        case .path(let path):
            // Checked before the file is opened: if a user names the database itself, closing it would drop SQLite's
            // locks.
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                throw SealedFileError(errno: errno, doing: "opening", path)
            }
            try requirePlausible(status, limit, isSecret)
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "opening", path) }
            defer { close(descriptor) }
            return try read(from: descriptor, limit, isSecret)
        }
    }

    private func read(
        from descriptor: CInt, _ limit: Int, _ isSecret: Bool
    ) throws(SealedFileError) -> SecretContents {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw systemError("reading") }
        try requirePlausible(status, limit, isSecret)
        var count = 0
        let bytes = try unsafe SecretBytes(byteCount: limit + 1) { buffer throws(SealedFileError) in
            while count < buffer.count, let start = buffer.baseAddress {
                let got = unsafe Glibc.read(descriptor, start + count, buffer.count - count)
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw systemError("reading") }
                if got == 0 { break }
                count += got
            }
        }
        assert(count <= bytes.byteCount, "the read stays in its buffer")
        guard count <= limit else { throw tooLong(limit) }
        return SecretContents(bytes: bytes, byteCount: count)
    }

    private func requirePlausible(_ status: stat, _ limit: Int, _ isSecret: Bool) throws(SealedFileError) {
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw refusal("it is a folder, not a file") }
        guard kind == S_IFREG else { return }
        guard status.st_size <= limit else { throw tooLong(limit) }
        let loose = status.st_mode & 0o066
        guard !isSecret || loose == 0 || status.st_nlink == 0 || isSystemdCredential else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw SealedFileError(
                .permission, "\(name): the group or others may read or write it (mode 0\(mode))",
                hint: "make it 0600 with 'chmod', and change the secret if others may have read it")
        }
    }

    /// A Boolean value that says whether the file lies where systemd puts a service's credentials, which it protects
    /// itself. https://systemd.io/CREDENTIALS
    private var isSystemdCredential: Bool {
        guard case .path(let path) = self, let folder = unsafe getenv("CREDENTIALS_DIRECTORY") else { return false }
        let prefix = unsafe String(cString: folder) + "/"
        return prefix.hasPrefix("/") && path.hasPrefix(prefix) && !path.dropFirst(prefix.count).contains("/")
    }

    // MARK: Words

    /// The kinds of keys, for errors about a file that holds something else.
    private enum Noun {
        case rawKey, recoveryKey

        /// Returns the reason for which content of another kind is refused: what was found, and what is expected.
        func refusal(found: String) -> String {
            switch self {
            case .rawKey:
                "it isn't a key file: it holds \(found), and a key file holds exactly 32 bytes, or 64 hex digits with or"
                    + " without a line end"
            case .recoveryKey:
                "it isn't a recovery key's file: it holds \(found), and a recovery key has 56 letters and digits in groups of 4"
            }
        }
    }

    private var name: String {
        switch self {
        case .path(let path): "\"\(path)\""
        case .descriptor(let descriptor): "descriptor \(descriptor)"
        }
    }

    private func refusal(_ what: String, hint: String? = nil) -> SealedFileError {
        SealedFileError(.invalidArgument, "\(name): \(what)", hint: hint)
    }

    private func tooLong(_ limit: Int) -> SealedFileError {
        refusal("it has more than \(limit == Self.readLimit ? Self.passphraseByteLimit : limit) bytes")
    }

    private func systemError(_ doing: String) -> SealedFileError {
        let number = errno
        switch self {
        case .path(let path): return SealedFileError(errno: number, doing: doing, path)
        case .descriptor: return refusal("\(doing) it failed: \(unsafe String(cString: strerror(number)))")
        }
    }
}

/// The content read from a source: a secret of known length in a larger buffer.
private struct SecretContents: ~Copyable {
    let bytes: SecretBytes
    let byteCount: Int

    borrowing func prefix(_ count: Int) -> SecretBytes {
        precondition(count <= byteCount && byteCount <= bytes.byteCount, "bytes after the content aren't part of it")
        return unsafe bytes.withUnsafeBytes {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }

    /// Returns the content as a raw key: its 32 bytes, or those of its 64 hex digits; nil if it is neither.
    borrowing func rawKey() -> SecretBytes? {
        if byteCount == 32 { return prefix(32) }
        let text = withoutLineEnd()
        return text.byteCount == 64 ? SecretText.bytes(fromHex: text) : nil
    }

    /// The kind and length of the content, for an error that doesn't quote it.
    var outline: String {
        if byteCount == 0 { return "nothing" }
        let text = withoutLineEnd()
        if unsafe text.withUnsafeBytes({ unsafe $0.starts(with: Array("-----BEGIN ".utf8)) }) {
            return "PEM text, such as a certificate or a private key"
        }
        let isHex = unsafe text.withUnsafeBytes { unsafe $0.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } }
        if isHex, text.byteCount > 0 { return "\(text.byteCount) hex digits" }
        return "\(byteCount) bytes" + (isText ? " of text" : "")
    }

    /// A Boolean value that says whether the content is one line of text, as a passphrase's file is.
    var isLine: Bool {
        let text = withoutLineEnd()
        return unsafe isText && text.byteCount > 0 && text.withUnsafeBytes { unsafe !$0.contains(UInt8(ascii: "\n")) }
    }

    /// A Boolean value that says whether the content has no control characters but tabs and line ends.
    private var isText: Bool {
        unsafe prefix(byteCount).withUnsafeBytes { bytes in
            unsafe bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 || $0 == 10 || $0 == 13 }
        }
    }

    borrowing func withoutLineEnd() -> SecretBytes {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            guard byteCount > 0, unsafe buffer[byteCount - 1] == UInt8(ascii: "\n") else { return byteCount }
            guard byteCount > 1, unsafe buffer[byteCount - 2] == UInt8(ascii: "\r") else { return byteCount - 1 }
            return byteCount - 2
        }
        return prefix(count)
    }
}
