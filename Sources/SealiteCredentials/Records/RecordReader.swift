internal import SealiteCrypto

/// Reads one JSON object (RFC 8259) whose values may be secret: they go from the record straight into `SecretBytes`.
///
/// Members that the caller doesn't know are skipped, so that a later program may add some; a member that it knows must
/// not come twice. Everything read here may have been written by another program.
@safe
struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private let byteCount: Int
    private var position = 0
    private let kind: CredentialKind
    /// Deeper nesting in a skipped value is refused.
    private static let maximumDepth = 16

    /// Reads a record: checks its version and hands each other member to a closure, which reads the value and returns
    /// true, or returns false for a member it doesn't know.
    static func read(
        _ record: borrowing SecretBytes, _ kind: CredentialKind,
        _ member: (String, inout RecordReader) throws(CredentialError) -> Bool
    ) throws(CredentialError) {
        try unsafe record.withUnsafeBytes { bytes throws(CredentialError) in
            var reader = unsafe RecordReader(bytes: bytes, kind: kind)
            try reader.readObject(member)
        }
    }

    private init(bytes: UnsafeRawBufferPointer, kind: CredentialKind) {
        unsafe self.bytes = bytes
        byteCount = bytes.count
        self.kind = kind
    }

    /// The error of a record that isn't what it should be. Says where, never what.
    func damaged(_ what: String) -> CredentialError {
        .damaged("the stored bytes are not \(kind.phrase): \(what) (at byte \(position) of \(byteCount))")
    }

    private mutating func readObject(
        _ member: (String, inout RecordReader) throws(CredentialError) -> Bool
    ) throws(CredentialError) {
        var seen: Set<String> = []
        var version: Int64?
        try readMembers { name, reader throws(CredentialError) in
            if name == "version" {
                guard version == nil else { throw reader.damaged("\"version\" comes twice") }
                version = try reader.readInteger(name)
            } else if try member(name, &reader) {
                guard seen.insert(name).inserted else { throw reader.damaged("\"\(name)\" comes twice") }
            } else {
                try reader.skipValue(depth: 0)
            }
        }
        skipSpace()
        guard position == byteCount else { throw damaged("something follows the record") }
        guard let version else { throw damaged("\"version\" is missing") }
        guard version == CredentialRecord.version else {
            throw CredentialError(
                .unsupportedVersion,
                "the stored record of \(kind.phrase) has version \(version); "
                    + "this program reads \(CredentialRecord.version)",
                hint: "use a newer Sealite")
        }
    }

    private mutating func readMembers(
        _ member: (String, inout RecordReader) throws(CredentialError) -> Void
    ) throws(CredentialError) {
        try expect("{")
        if accept("}") { return }
        repeat {
            let name = try readOpenText("a name")
            try expect(":")
            try member(name, &self)
        } while accept(",")
        try expect("}")
    }

    /// Reads an array, calling the closure for each element.
    mutating func readArray(
        _ name: String, _ element: (inout RecordReader) throws(CredentialError) -> Void
    ) throws(CredentialError) {
        guard accept("[") else { throw damaged("\"\(name)\" is not an array") }
        if accept("]") { return }
        repeat { try element(&self) } while accept(",")
        try expect("]")
    }

    /// Reads an integer of at most 15 digits.
    mutating func readInteger(_ name: String) throws(CredentialError) -> Int64 {
        skipSpace()
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var value: Int64 = 0
        let start = position
        while let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), position - start < 15 {
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
            position += 1
        }
        let isEnded = next.map { Self.afterValue.contains($0) } ?? false
        guard position > start, isEnded else { throw damaged("\"\(name)\" is not an integer") }
        return isNegative ? -value : value
    }

    /// Reads a string that isn't secret.
    mutating func readOpenText(_ name: String) throws(CredentialError) -> String {
        let text = try readText(name)
        let string = unsafe text.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
        guard let string else { throw damaged("\"\(name)\" is not UTF-8") }
        return string
    }

    /// Reads a string of base 64.
    mutating func readBase64(_ name: String) throws(CredentialError) -> SecretBytes {
        guard let decoded = Base64.decode(try readText(name)) else { throw damaged("\"\(name)\" is not base 64") }
        return decoded
    }

    /// Reads a string: its bytes in UTF-8, escapes resolved.
    mutating func readText(_ name: String) throws(CredentialError) -> SecretBytes {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw damaged("\"\(name)\" is not a string") }
        position += 1
        let start = position
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw damaged("a control character in a string") }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard next != nil else { throw damaged("a string without an end") }
        let end = position
        position += 1
        let raw = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard let text = unsafe JSONText.unescape(raw) else { throw damaged("a wrong escape in \"\(name)\"") }
        return text
    }

    private static let afterValue: [UInt8] = Array(" \t\r\n,}]".utf8)

    private mutating func skipValue(depth: Int) throws(CredentialError) {
        guard depth < Self.maximumDepth else { throw damaged("nested more than \(Self.maximumDepth) deep") }
        skipSpace()
        switch next {
        case UInt8(ascii: "\""): _ = try readText("a value")
        case UInt8(ascii: "{"):
            try readMembers { _, reader throws(CredentialError) in try reader.skipValue(depth: depth + 1) }
        case UInt8(ascii: "["):
            try readArray("a value") { reader throws(CredentialError) in try reader.skipValue(depth: depth + 1) }
        default:
            // A number or one of true, false and null: nothing depends on which.
            let start = position
            while let byte = next, !Self.afterValue.contains(byte) {
                guard (0x2B...0x7A).contains(byte) else { throw damaged("a value that is none of JSON") }
                position += 1
            }
            guard position > start else { throw damaged("a value is missing") }
        }
    }

    private var next: UInt8? { position < byteCount ? unsafe bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func accept(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ mark: Unicode.Scalar) throws(CredentialError) {
        guard accept(mark) else { throw damaged("a \"\(mark)\" is missing") }
    }
}
