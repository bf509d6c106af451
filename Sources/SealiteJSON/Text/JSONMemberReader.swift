/// Reads JSON value by value, without building a tree, for callers that know the expected structure.
///
/// Numbers are kept as text unless they are requested as integers, so that no digit is lost; values that are only
/// passed on are kept as bytes. Errors are reported as the caller's error type. The nesting depth is limited by the
/// rules.
public struct JSONMemberReader<Failure: JSONFailure>: Sendable {
    /// The kinds of JSON values.
    public typealias Kind = JSONKind

    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var scanner: JSONScanner

    /// Creates a reader of `bytes`.
    @inlinable
    public init(_ bytes: some Collection<UInt8>, rules: JSONRules = .messages) {
        self.bytes = ArraySlice(bytes)
        scanner = JSONScanner(rules)
    }

    /// The offset in bytes, from the start of the JSON text, of the next byte to read.
    package var offset: Int { scanner.position }

    /// Returns the kind of the next value, by its first byte, without reading it.
    ///
    /// - Throws: `malformed` if there is no value.
    @inlinable
    public mutating func peek() throws(Failure) -> JSONKind {
        try step { (scanner, text) throws(JSONError) in
            scanner.skipSpace(text)
            return try scanner.kind(text)
        }
    }

    /// Throws an error if anything except white space remains.
    @inlinable
    public mutating func end() throws(Failure) {
        try step { (scanner, text) throws(JSONError) in try scanner.end(text) }
    }

    /// Reads an array. `element` is called with the reader at each element, and must read exactly this element.
    ///
    /// - Throws: `malformed`, `wrongKind`, `tooDeep`, `tooMany` above `limit` elements, and the errors of `element`.
    @inlinable
    public mutating func array(
        limit: Int, _ element: (inout JSONMemberReader) throws(Failure) -> Void
    ) throws(Failure) {
        guard try open(.array) else { return }
        var count = 0
        repeat {
            count += 1
            guard count <= limit else {
                throw failure(scanner.failure("a JSON array has more than \(limit) items", .tooMany))
            }
            try element(&self)
        } while try goesOn(.array)
    }

    /// Reads an object. `member` is called with each name and the reader at its value, and must read exactly this
    /// value.
    ///
    /// - Throws: `malformed`, `wrongKind`, `tooDeep`, `duplicateName` if the rules refuse duplicates, and the errors of
    ///   `member`.
    @inlinable
    public mutating func object(
        _ member: (String, inout JSONMemberReader) throws(Failure) -> Void
    ) throws(Failure) {
        guard try open(.object) else { return }
        var seen: Set<ExactText> = []
        repeat {
            let name = try name()
            if scanner.rules.duplicateNames == .refused, !seen.insert(ExactText(name)).inserted {
                throw failure(scanner.failure("a JSON object has two members with the same name", .duplicateName))
            }
            try member(name, &self)
        } while try goesOn(.object)
    }

    /// Reads a string and returns its text, with its escapes decoded.
    @inlinable
    public mutating func string() throws(Failure) -> String {
        try expect(.string)
        return try step { (scanner, text) throws(JSONError) in try scanner.readString(text) }
    }

    /// Reads a number that is written as a signed 64-bit integer, without fraction and exponent; throws `outOfRange`
    /// for any other number.
    @inlinable
    public mutating func integer() throws(Failure) -> Int64 {
        try expect(.number)
        guard let value = Int64(String(decoding: try rawValue(), as: UTF8.self)) else {
            throw failure(
                scanner.failure(
                    "a JSON number isn't a signed 64-bit integer without fraction and exponent", .outOfRange))
        }
        return value
    }

    /// Reads `true` or `false`, and returns its value.
    @inlinable
    public mutating func boolean() throws(Failure) -> Bool {
        try expect(.boolean)
        return try rawValue().first == UInt8(ascii: "t")
    }

    /// Reads any value and returns its unchanged bytes, without white space around it.
    @inlinable
    public mutating func rawValue() throws(Failure) -> ArraySlice<UInt8> {
        let range = try step { (scanner, text) throws(JSONError) in
            scanner.skipSpace(text)
            let start = scanner.position
            try scanner.skip(text)
            return start..<scanner.position
        }
        return bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
    }

    // MARK: - Steps

    /// Calls `body` with the scanner and the text, and converts an error to the caller's error type.
    @inlinable @inline(__always)
    mutating func step<Result>(
        _ body: (inout JSONScanner, borrowing Span<UInt8>) throws(JSONError) -> Result
    ) throws(Failure) -> Result {
        var scanner = self.scanner
        defer { self.scanner = scanner }
        do throws(JSONError) {
            return try body(&scanner, bytes.span)
        } catch {
            throw failure(error)
        }
    }

    @usableFromInline
    func failure(_ error: JSONError) -> Failure { Failure(error, byteCount: bytes.count) }

    @inlinable
    mutating func expect(_ kind: JSONKind) throws(Failure) {
        guard try peek() == kind else {
            throw failure(scanner.failure("expected \(kind.phrase), but the JSON value has another type", .wrongKind))
        }
    }

    /// Reads the start of an array or object.
    ///
    /// - Returns: false if the array or object is empty; its end has been skipped then.
    @inlinable
    mutating func open(_ kind: JSONKind) throws(Failure) -> Bool {
        try expect(kind)
        return try step { (scanner, text) throws(JSONError) in try scanner.open(text, kind) }
    }

    @inlinable
    mutating func goesOn(_ kind: JSONKind) throws(Failure) -> Bool {
        try step { (scanner, text) throws(JSONError) in try scanner.goesOn(text, kind) }
    }

    @inlinable
    mutating func name() throws(Failure) -> String {
        try step { (scanner, text) throws(JSONError) in try scanner.readName(text) }
    }
}

extension JSONKind {
    /// The kind with its indefinite article.
    @usableFromInline var phrase: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        }
    }
}

// Steps for readers outside of this file.
extension JSONScanner {
    /// Skips the start of an array or object; `position` must be at its first byte.
    ///
    /// - Returns: false if the array or object is empty; its end has been skipped then.
    @usableFromInline
    package mutating func open(_ text: borrowing Span<UInt8>, _ kind: JSONKind) throws(JSONError) -> Bool {
        try enter(text)
        return !leaveIfEmpty(text, kind == .object ? 0x7D : 0x5D)
    }

    /// Skips the comma before the next item or member and returns true, or skips the end of the array or object and
    /// returns false.
    @usableFromInline
    package mutating func goesOn(_ text: borrowing Span<UInt8>, _ kind: JSONKind) throws(JSONError) -> Bool {
        try goesOn(text, until: kind == .object ? 0x7D : 0x5D)
    }

    /// Returns a member's name and skips it and the colon after it; `position` must be at its first quote.
    @usableFromInline
    package mutating func readName(_ text: borrowing Span<UInt8>) throws(JSONError) -> String {
        let name = try name(text)
        return self.text(of: name, in: text)
    }

    /// Returns a string and skips it; `position` must be at its first quote.
    @usableFromInline
    package mutating func readString(_ text: borrowing Span<UInt8>) throws(JSONError) -> String {
        let string = try string(text)
        return self.text(of: string, in: text)
    }
}

/// The kinds of JSON values.
public enum JSONKind: Sendable, Hashable { case object, array, string, number, boolean, null }
