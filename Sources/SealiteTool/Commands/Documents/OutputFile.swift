import Glibc
import SealiteDatabase
import SealiteFile

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
