internal import SealiteJSON

/// Reads the fields of a stored `SyncSpace`, `SyncRecord` or `SyncEvent`, whose bytes may be truncated or invalid.
struct StateReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(DatabaseError) -> UInt8 {
        guard position < bytes.count else { throw Self.damaged }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(DatabaseError) -> UInt64 {
        var next = position
        guard let number = Varint.read(bytes.span, &next, limit: bytes.count) else { throw Self.damaged }
        position = next
        return number
    }

    /// Reads a length, and returns that many of the bytes that follow it.
    mutating func block() throws(DatabaseError) -> [UInt8] {
        let length = try number()
        guard length <= UInt64(bytes.count - position) else { throw Self.damaged }
        defer { position += Int(length) }
        return Array(bytes[position..<position + Int(length)])
    }

    mutating func text() throws(DatabaseError) -> String { String(decoding: try block(), as: UTF8.self) }

    static var damaged: DatabaseError {
        DatabaseError(.corruptData, "the stored sync state of a document, or of its collection, is damaged")
    }
}
