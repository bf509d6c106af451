import ArgumentParser
import Glibc
import SealiteDatabase
import SealiteFile

/// A file or standard input, read line by line or in pieces, in constant memory.
final class InputFile {
    /// The maximum length of a line in bytes, about three times the size of the largest document.
    static let lineLimit = 64 << 20
    private static let pieceByteCount = 1 << 18

    private let descriptor: CInt
    private let isOwn: Bool
    let name: String
    /// The size of the file in bytes; 0 if it is unknown, as that of a pipe is.
    let byteCount: Int64
    /// The number of bytes that were read so far.
    private(set) var position: Int64 = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Opens a file, or uses standard input.
    ///
    /// - Parameters:
    ///   - path: the file, or `-` for standard input.
    ///   - database: the path of the open database, whose files must not be opened a second time, because closing them
    ///     would drop SQLite's locks.
    /// - Throws: an error if the file can't be opened or belongs to the database.
    init(_ path: String, besides database: String) throws {
        isOwn = path != "-"
        name = isOwn ? "\"\(path)\"" : "standard input"
        if isOwn { try Self.requireOther(path, than: database) }
        descriptor = isOwn ? unsafe open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
        guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "opening", path) }
        var status = stat()
        byteCount =
            unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : 0
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw ToolError(.noInput, code: "not-a-file", "\(name) is a folder")
        }
    }

    deinit { if isOwn { close(descriptor) } }

    private static func requireOther(_ path: String, than database: String) throws(ToolError) {
        var (own, other) = (stat(), stat())
        guard unsafe stat(path, &own) == 0 else { return }
        for suffix in [""] + TemporaryNames.sidecarSuffixes where unsafe stat(database + suffix, &other) == 0 {
            guard own.st_dev != other.st_dev || own.st_ino != other.st_ino else {
                throw .usage("\"\(path)\" can't be read as input: it is a file of the database itself")
            }
        }
    }

    /// Reads the next bytes, at most `count`; returns an empty array at the end.
    ///
    /// - Throws: an error if they can't be read; `cancelled` if the calling thread's change is stopped while this waits
    ///   for a pipe, or before the pipe ends: what wrote to it may have been stopped too.
    func piece(_ count: Int = pieceByteCount) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            if let change = WriteControl.current { try awaitInput(change) }
            let got = unsafe read(descriptor, &bytes, bytes.count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SealedFileError(errno: errno, doing: "reading", name) }
            if got == 0, byteCount == 0 { try WriteControl.current?.requireNotStopped() }
            position += Int64(got)
            bytes.removeSubrange(got...)
            return bytes
        }
    }

    /// Moves a regular file to where it was before the first piece was read.
    func rewind() throws {
        guard lseek(descriptor, -off_t(position), SEEK_CUR) >= 0 else {
            throw SealedFileError(errno: errno, doing: "reading", name)
        }
        position = 0
    }

    /// Waits until the descriptor can be read. A signal doesn't interrupt a read(2), because another thread takes it.
    private func awaitInput(_ change: WriteControl) throws {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&request, 1, 100) == 0 { try change.requireNotStopped() }
    }

    /// Returns the content that follows the pieces read so far; must not follow a call of `line()`, which reads ahead.
    /// Throws an error if this content has more than `limit` bytes.
    func all(limit: Int = lineLimit) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try piece()
            if piece.isEmpty { return bytes }
            bytes += piece
            guard bytes.count <= limit else {
                throw ToolError(.failed, code: "document-too-large", "\(name) has more than \(limit) bytes")
            }
        }
    }

    /// Returns the next line without its line end; nil after the last one.
    func line() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            if isAtEnd {
                defer { start = buffer.count }
                return start < buffer.count ? Array(buffer[start...]) : nil
            }
            guard buffer.count - start <= Self.lineLimit else {
                throw ToolError(
                    .failed, code: "document-too-large", "a line of \(name) has more than \(Self.lineLimit) bytes",
                    hint: "each line must be one JSON object")
            }
            buffer.removeSubrange(..<start)
            start = 0
            searched = buffer.count
            let piece = try piece()
            isAtEnd = piece.isEmpty
            buffer += piece
        }
    }
}

/// A new file, which appears as a whole or not at all, or standard output.
final class OutputFile {
    private static let limit = 1 << 18
    private let file: NewFile?
    private let isReplacing: Bool
    private var buffer: [UInt8] = []

    /// Creates a file, or uses standard output.
    ///
    /// - Parameters:
    ///   - path: the path of the file to create, or `-` for standard output.
    ///   - replacing: true to replace an existing file as a whole.
    /// - Throws: an error if the file exists and isn't replaced, or can't be created.
    init(_ path: String, replacing: Bool = false) throws {
        isReplacing = replacing
        if path != "-" { Leftovers.tell(beside: path) }
        file = path == "-" ? nil : try NewFile(path, replacing: replacing)
    }

    func add(_ bytes: some Sequence<UInt8>) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.limit { try flush() }
    }

    private func flush() throws {
        if let file {
            try file.write(buffer)
        } else {
            Console.write(buffer)
            try Console.requireWritten()
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the buffered rest, and gives the file its name, under which it appears only now.
    func finish() throws {
        try flush()
        if isReplacing { try file?.publishOverOld() } else { try file?.publish() }
    }
}

/// The new file, or standard output, of a command that writes content: an argument, or `-o` as in other commands.
struct OutputLocation: ParsableArguments {
    @Argument(help: "The file to make, or - for standard output.", completion: .file())
    var file: String?

    @Option("file", name: [.customShort("o"), .customLong("output")], help: "The file to make.")
    var option: String?

    func validate() throws {
        guard file == nil || option == nil else {
            throw ValidationError("The file to make can't be given both as an argument and with -o.")
        }
        guard file != nil || option != nil else {
            throw ValidationError("Missing the file to make, or - for standard output.")
        }
    }

    /// The path of the file; `-` for standard output.
    var path: String { file ?? option ?? "-" }
}
