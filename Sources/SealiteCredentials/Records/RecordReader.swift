internal import SealiteCrypto
internal import SealiteJSON

/// Reads one JSON object whose values may be secret: they are copied from the record directly into `SecretBytes`.
///
/// Members that the caller doesn't know are skipped, so that a later version may add members; a known member must not
/// occur twice. Another program may have written the record.
@safe
struct RecordReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let byteCount: Int
    private var scanner = JSONScanner(.records)
    private let kind: CredentialKind

    /// Reads a record: checks its version and passes each other member to a closure, which reads the value and returns
    /// true, or returns false for an unknown member.
    static func read(
        _ record: borrowing SecretBytes, _ kind: CredentialKind,
        _ member: (String, inout RecordReader) throws(CredentialError) -> Bool
    ) throws(CredentialError) {
        try unsafe record.withUnsafeBytes { bytes throws(CredentialError) in
            try unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes throws(CredentialError) in
                var reader = unsafe RecordReader(bytes: bytes, kind: kind)
                try reader.readObject(member)
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, kind: CredentialKind) {
        unsafe self.bytes = bytes
        byteCount = bytes.count
        self.kind = kind
    }

    /// Returns the error for an invalid record. It names the position, never the content.
    func damaged(_ what: String) -> CredentialError { damaged(what, at: scanner.position) }

    private func damaged(_ what: String, at position: Int) -> CredentialError {
        .damaged("the stored bytes are not \(kind.phrase): \(what) (at byte \(position) of \(byteCount))")
    }

    /// Runs one parsing step of the scanner on the record's bytes.
    private mutating func step<Result: ~Copyable>(
        _ body: (inout JSONScanner, borrowing Span<UInt8>) throws(JSONError) -> Result
    ) throws(CredentialError) -> Result {
        do throws(JSONError) {
            return try unsafe body(&scanner, bytes.span)
        } catch {
            throw damaged(error.reason, at: error.offset)
        }
    }

    private mutating func readObject(
        _ member: (String, inout RecordReader) throws(CredentialError) -> Bool
    ) throws(CredentialError) {
        var seen: Set<String> = []
        var version: Int64?
        var hasMember = try open(.object, "a JSON object is expected")
        while hasMember {
            let name = try step { (scanner, text) throws(JSONError) in try scanner.readName(text) }
            if name == "version" {
                guard version == nil else { throw damaged("\"version\" comes twice") }
                version = try readVersion()
            } else if try member(name, &self) {
                guard seen.insert(name).inserted else { throw damaged("\"\(name)\" comes twice") }
            } else {
                try step { (scanner, text) throws(JSONError) in try scanner.skip(text) }
            }
            hasMember = try goesOn(.object)
        }
        try step { (scanner, text) throws(JSONError) in try scanner.end(text) }
        guard version != nil else { throw damaged("\"version\" is missing") }
    }

    /// Reads the version and refuses any other than this program's at once: the members that follow may have another
    /// form in another version, which would look like damage.
    private mutating func readVersion() throws(CredentialError) -> Int64 {
        let version = try readInteger("version")
        guard version == Credential.recordVersion else {
            throw CredentialError(
                .unsupportedVersion,
                "the stored record of \(kind.phrase) has version \(version); "
                    + "this program reads \(Credential.recordVersion)",
                hint: "use a newer Sealite")
        }
        return version
    }

    /// Reads an array: calls the closure for each element, whose value the closure must read.
    mutating func readArray(
        _ name: String, _ element: (inout RecordReader) throws(CredentialError) -> Void
    ) throws(CredentialError) {
        var hasElement = try open(.array, "\"\(name)\" is not an array")
        while hasElement {
            try element(&self)
            hasElement = try goesOn(.array)
        }
    }

    /// Reads an integer of at most 15 digits.
    mutating func readInteger(_ name: String) throws(CredentialError) -> Int64 {
        try expect(.number, "\"\(name)\" is not an integer")
        let start = scanner.position
        try step { (scanner, text) throws(JSONError) in try scanner.skip(text) }
        let digits = unsafe String(decoding: bytes[start..<scanner.position], as: UTF8.self)
        guard digits.utf8.count <= 16, let value = Int64(digits), value.magnitude < 1_000_000_000_000_000 else {
            throw damaged("\"\(name)\" is not an integer")
        }
        return value
    }

    /// Reads a string that isn't secret.
    mutating func readOpenText(_ name: String) throws(CredentialError) -> String {
        try expect(.string, "\"\(name)\" is not a string")
        return try step { (scanner, text) throws(JSONError) in try scanner.readString(text) }
    }

    /// Reads a Base64 string and returns the bytes that it encodes.
    mutating func readBase64(_ name: String) throws(CredentialError) -> SecretBytes {
        guard let decoded = Base64.decode(try readText(name)) else { throw damaged("\"\(name)\" is not Base64") }
        return decoded
    }

    /// Reads a string that may be secret and returns its bytes in UTF-8, with escapes resolved.
    mutating func readText(_ name: String) throws(CredentialError) -> SecretBytes {
        try expect(.string, "\"\(name)\" is not a string")
        return try step { (scanner, text) throws(JSONError) in try scanner.secret(text) }
    }

    // MARK: - Steps

    private mutating func expect(_ kind: JSONKind, _ otherwise: String) throws(CredentialError) {
        let found = try step { (scanner, text) throws(JSONError) in
            scanner.skipSpace(text)
            return try scanner.kind(text)
        }
        guard found == kind else { throw damaged(otherwise) }
    }

    /// Enters an array or object and returns true, or skips it and returns false if it is empty. Throws an error with
    /// the text `otherwise` if the next value is of another kind.
    private mutating func open(_ kind: JSONKind, _ otherwise: String) throws(CredentialError) -> Bool {
        try expect(kind, otherwise)
        return try step { (scanner, text) throws(JSONError) in try scanner.open(text, kind) }
    }

    private mutating func goesOn(_ kind: JSONKind) throws(CredentialError) -> Bool {
        try step { (scanner, text) throws(JSONError) in try scanner.goesOn(text, kind) }
    }
}

/// Assembles a record, the stored form of a credential, in memory that is wiped: text that isn't secret around one
/// secret.
enum RecordWriter {
    enum Piece {
        /// Text that isn't secret and is valid JSON without escaping.
        case text(String)
        /// The secret, whose bytes need no escapes.
        case secret
        /// The secret in Base64.
        case base64Secret

        func byteCount(secretByteCount: Int) -> Int {
            switch self {
            case .text(let text): text.utf8.count
            case .secret: secretByteCount
            case .base64Secret: Base64.encodedByteCount(secretByteCount)
            }
        }
    }

    static func write(_ pieces: [Piece], _ secret: borrowing SecretBytes) -> SecretBytes {
        let total = pieces.reduce(0) { $0 + $1.byteCount(secretByteCount: secret.byteCount) }
        return unsafe SecretBytes(byteCount: total) { output in
            unsafe secret.withUnsafeBytes { secretBytes in
                var position = 0
                for piece in pieces {
                    let count = piece.byteCount(secretByteCount: secretBytes.count)
                    let place = unsafe UnsafeMutableRawBufferPointer(rebasing: output[position..<position + count])
                    switch piece {
                    case .text(let text): unsafe place.copyBytes(from: text.utf8)
                    case .secret: unsafe place.copyMemory(from: secretBytes)
                    case .base64Secret: unsafe Base64.encode(secretBytes, into: place)
                    }
                    position += count
                }
            }
        }
    }
}
