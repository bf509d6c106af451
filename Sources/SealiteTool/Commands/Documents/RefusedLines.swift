import SealiteDatabase
import SealiteFile

/// A new file for the lines that an import has skipped. It is created with the first of them.
final class RefusedLines {
    let path: String
    private(set) var count = 0
    private var file: NewFile?

    /// - Throws: an error if there is such a file already.
    init(_ path: String) throws {
        self.path = path
        try NewFile.requireFree(path)
    }

    func add(_ line: [UInt8], number: Int, _ error: ToolError) throws {
        Console.note("line \(number): \(error.message)".withoutControls + "\n")
        count += 1
        if file == nil { file = try NewFile(path) }
        try file?.write(line + [UInt8(ascii: "\n")])
    }

    /// Gives the file its name.
    func finish() throws { try file?.publish() }
}
