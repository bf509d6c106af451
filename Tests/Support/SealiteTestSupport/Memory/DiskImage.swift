/// The names and contents of a disk at rest.
package struct DiskImage: Sendable {
    /// Which file a full path leads to.
    var names: [String: Int] = [:]
    /// The bytes of each file.
    var contents: [Int: [UInt8]] = [:]

    package init() {}

    /// The full paths of all files, in order.
    package var paths: [String] { names.keys.sorted() }

    /// The bytes of the file at a full path; nil where there is none, set to nil to remove it.
    package subscript(path path: String) -> [UInt8]? {
        get { names[path].map { contents[$0] ?? [] } }
        set {
            if let file = names[path] { contents[file] = nil }
            let file = (contents.keys.max() ?? 0) + 1
            names[path] = newValue == nil ? nil : file
            contents[file] = newValue
        }
    }
}

/// One change of the disk that a power loss may undo, or a sync that makes earlier ones safe.
enum DiskEvent: Sendable {
    case link(path: String, file: Int)
    case unlink(path: String)
    case write(file: Int, offset: Int, bytes: [UInt8])
    case truncate(file: Int, size: Int)
    case sync(file: Int)
    case syncFolder(String)
}

extension DiskImage {
    /// Makes the change as if nothing could get in its way.
    mutating func apply(_ event: DiskEvent) {
        switch event {
        case .link(let path, let file): names[path] = file
        case .unlink(let path): names[path] = nil
        case .write(let file, let offset, let bytes):
            unsafe bytes.withUnsafeBytes { unsafe contents[file, default: []].overwrite(at: offset, with: $0) }
        case .truncate(let file, let size): contents[file, default: []].resize(to: size)
        case .sync, .syncFolder: break
        }
    }

    /// Forgets files that no name leads to.
    mutating func collect() {
        let reachable = Set(names.values)
        contents = contents.filter { reachable.contains($0.key) }
    }
}

// In whole blocks: byte by byte, a debug build spends most of its time here.
extension [UInt8] {
    init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(unsafeUninitializedCapacity: bytes.count) { buffer, count in
            unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
            count = bytes.count
        }
    }

    mutating func resize(to size: Int) {
        if size < count { removeLast(count - size) } else { self += [UInt8](repeating: 0, count: size - count) }
    }

    mutating func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) {
        if offset + bytes.count > count { resize(to: offset + bytes.count) }
        unsafe withUnsafeMutableBytes {
            unsafe UnsafeMutableRawBufferPointer(rebasing: $0[offset..<(offset + bytes.count)]).copyMemory(from: bytes)
        }
    }
}

extension String {
    /// The folder part of a full path.
    var folder: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "" }
}
