internal import CTestVFS

/// An open file of a `TestVFS`: asks the tap, then the file.
final class TappedFile {
    let file: any OpenFile
    let kind: FileKind
    let path: String?
    let tap: Tap

    init(file: any OpenFile, kind: FileKind, path: String?, tap: Tap) {
        self.file = file
        self.kind = kind
        self.path = path
        self.tap = tap
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ResultCode) {
        try tap.pass(.read, kind, path, offset: offset, byteCount: buffer.count)
        try unsafe file.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ResultCode) {
        do {
            try tap.pass(
                .write, kind, path, offset: offset, byteCount: bytes.count, bytes: unsafe [UInt8](copying: bytes))
        } catch {
            if tap.tearsWrites { try unsafe file.write(.init(rebasing: bytes[..<(bytes.count / 2)]), at: offset) }
            throw error
        }
        try unsafe file.write(bytes, at: offset)
    }

    func truncate(to size: Int64) throws(ResultCode) {
        try tap.pass(.truncate, kind, path, offset: size)
        try file.truncate(to: size)
    }

    func sync(_ flags: CInt) throws(ResultCode) {
        try tap.pass(.sync, kind, path)
        try file.sync(flags)
    }

    func size() throws(ResultCode) -> Int64 {
        try tap.pass(.size, kind, path)
        return try file.size()
    }

    /// SQLite lets go of its mapped pages, of which there are none.
    func unfetch() { tap.passUnfetch(kind) }
}
