internal import Glibc

/// The SQL texts of the tables and indexes of collections, for comparisons that create no text for each collection.
enum SchemaTexts {
    /// The object of a collection that a name stands for: the number of the collection, and the position of the object
    /// among the parts of a collection.
    struct Place {
        let number: Int
        let part: Int
        /// The range of the digits of the number in the name.
        fileprivate let digits: [UInt8]
    }

    /// The texts without the number of the collection: the bytes between its occurrences.
    private static let pieces: [[[UInt8]]] = {
        let (sample, digits) = (987_654_321, Array("987654321".utf8))
        return FormatTables.collectionParts(sample).map { part in
            var pieces: [[UInt8]] = [[]]
            var rest = Array(part.sql.utf8)[...]
            while let byte = rest.first {
                if rest.starts(with: digits) {
                    pieces.append([])
                    rest = rest.dropFirst(digits.count)
                } else {
                    pieces[pieces.count - 1].append(byte)
                    rest = rest.dropFirst()
                }
            }
            return pieces
        }
    }()

    private static let prefix = Array("documents_".utf8)
    private static let suffixes = ["", "_id", "_sequence", "_expires"].map { Array($0.utf8) }

    /// Returns the place that the name of an object has; nil if the name isn't that of a part of a collection.
    static func place(ofName name: borrowing Span<UInt8>) -> Place? {
        guard name.count > prefix.count, isEqual(name, 0, prefix) else { return nil }
        var position = prefix.count
        var number = 0
        while position < name.count, case let digit = name[position], (0x30...0x39).contains(digit) {
            guard position - prefix.count < 18, number > 0 || digit != 0x30 else { return nil }
            number = number * 10 + Int(digit - 0x30)
            position += 1
        }
        guard number > 0 else { return nil }
        for (part, suffix) in suffixes.enumerated()
        where name.count == position + suffix.count && isEqual(name, position, suffix) {
            return Place(number: number, part: part, digits: Array(String(number).utf8))
        }
        return nil
    }

    /// Returns the place that the name of an object has; nil if the name isn't that of a part of a collection.
    static func place(of name: String) -> Place? {
        let bytes = Array(name.utf8)
        return place(ofName: bytes.span)
    }

    /// Returns whether a text is, byte for byte, that of the object at a place.
    static func isEqual(_ text: borrowing Span<UInt8>, to place: Place) -> Bool {
        guard place.part < pieces.count else { return false }
        var position = 0
        for (index, piece) in pieces[place.part].enumerated() {
            if index > 0 {
                guard isEqual(text, position, place.digits) else { return false }
                position += place.digits.count
            }
            guard isEqual(text, position, piece) else { return false }
            position += piece.count
        }
        return position == text.count
    }

    private static func isEqual(_ text: borrowing Span<UInt8>, _ start: Int, _ other: [UInt8]) -> Bool {
        guard start + other.count <= text.count else { return false }
        return unsafe text.withUnsafeBufferPointer { text in
            unsafe other.withUnsafeBufferPointer { other in
                guard let place = text.baseAddress, let bytes = other.baseAddress else { return true }
                return unsafe memcmp(place + start, bytes, other.count) == 0
            }
        }
    }

    // MARK: - Tokens

    /// Returns whether two statements consist of the same words and characters, whatever white space is between them.
    static func areEqual(_ sql: String, _ other: String) -> Bool { sql == other || tokens(sql) == tokens(other) }

    /// Returns whether a statement creates an ordinary table with a name, with columns and not from a query.
    static func createsTable(named name: String, _ sql: String) -> Bool {
        let tokens = tokens(sql).prefix(4).map { String(decoding: $0, as: UTF8.self) }
        return tokens.count == 4 && tokens[0] == "CREATE" && tokens[1] == "TABLE" && tokens[3] == "("
            && [name, "'\(name)'", "\"\(name)\""].contains(tokens[2])
    }

    /// Divides a statement into words, quoted texts and single characters.
    static func tokens(_ sql: String) -> [[UInt8]] {
        var tokens: [[UInt8]] = []
        var rest = Array(sql.utf8)[...]
        func isOfWord(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
                || byte >= 0x80
        }
        while let byte = rest.first {
            var length = 1
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D:
                rest = rest.dropFirst()
                continue
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                // A doubled quotation mark begins another token, which doesn't affect a comparison.
                length = (rest.dropFirst().firstIndex(of: byte) ?? rest.endIndex - 1) - rest.startIndex + 1
            case _ where isOfWord(byte): length = rest.prefix(while: isOfWord).count
            default: break
            }
            tokens.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return tokens
    }
}
