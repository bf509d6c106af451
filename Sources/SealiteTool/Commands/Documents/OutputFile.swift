import Glibc
import SealiteDatabase
import SealiteFile

/// A new file, which appears as a whole or not at all, or standard output.
final class OutputFile {
    private static let limit = 1 << 18
    private let file: NewFile?
    private var buffer: [UInt8] = []

    /// Creates a file, or uses standard output.
    ///
    /// - Parameter path: the path of the file to create, or `-` for standard output.
    /// - Throws: an error if the file exists or can't be created.
    init(_ path: String) throws {
        file = path == "-" ? nil : try NewFile(path)
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
        try file?.publish()
    }
}
