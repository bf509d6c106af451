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
    /// - Throws: `SealedFileError`: as `passphrase()`; `invalidArgument` for any other content.
    public func rawKey() throws(SealedFileError) -> SecretBytes {
        let contents = try read()
        if contents.byteCount == 32 { return contents.prefix(32) }
        let text = contents.withoutLineEnd()
        guard text.byteCount == 64, let key = SecretText.bytes(fromHex: text) else {
            let isRecoveryKey = (try? SecretText.recoveryKey(from: contents.prefix(contents.byteCount))) != nil
            throw refusal(
                "a key file holds exactly 32 bytes, or 64 hex digits with or without a line end",
                hint: isRecoveryKey ? Remedy.useAsRecoveryKey.hint : nil)
        }
        return key
    }

    /// Reads a recovery key in its printed form: base32 in groups of 4. Case, spaces, line ends and dashes are ignored.
    ///
    /// - Throws: `SealedFileError`: as `passphrase()`; `invalidArgument` if the text is no recovery key, or if its
    ///   checksum shows a copying mistake; `internalFailure`.
    public func recoveryKey() throws(SealedFileError) -> RecoveryKey {
        let contents = try read()
        do throws(SealedFileError) {
            return try SecretText.recoveryKey(from: contents.prefix(contents.byteCount))
        } catch {
            throw error.code == .invalidArgument ? refusal(error.reason) : error
        }
    }

    // MARK: Reading

    private static let readLimit = passphraseByteLimit + 2

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
        unsafe bytes.withUnsafeBytes { unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
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
