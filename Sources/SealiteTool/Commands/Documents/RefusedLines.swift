import SealiteDatabase
import SealiteFile

/// A new file for the lines that an import has skipped. The file is created when the first line is skipped.
final class RefusedLines {
    let path: String
    private(set) var count = 0
    private var file: NewFile?

    /// Prepares a file at a path, without creating it.
    ///
    /// - Throws: an error if a file exists at the path.
    init(_ path: String) throws {
        self.path = path
        try NewFile.requireFree(path)
    }

    func add(_ line: [UInt8], number: Int, _ error: ToolError) throws {
        Console.note(ofLine: number, error)
        count += 1
        if file == nil { file = try NewFile(path) }
        try file?.write(line + [UInt8(ascii: "\n")])
    }

    /// Completes the file, which appears under its name only now.
    func finish() throws { try file?.publish() }
}
