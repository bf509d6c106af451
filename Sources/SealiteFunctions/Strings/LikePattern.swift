import SealiteJSON

/// A pattern of LIKE: `%` matches any characters, `_` one character, and the character after the escape character is
/// literal.
struct LikePattern {
    private let pattern: QueryBytes
    private let escape: UInt8?

    init(_ pattern: QueryBytes, escape: UInt8?) { (self.pattern, self.escape) = (pattern, escape) }

    /// The maximum number of steps for matching a text, since with many `%` the time could grow with the product of the
    /// lengths.
    static let maximumStepCount = 1 << 26
    /// The number of steps that are charged together, each for a byte; it divides the maximum.
    private static let chargedStepCount = 1 << 10

    /// Returns whether a whole text matches the pattern under a collation; nil if that takes too many steps.
    /// The work is charged to a call.
    func matches(_ text: QueryBytes, _ collation: TextCollation, _ call: QueryCall) throws -> Bool? {
        try collation.isBytewise
            ? unsafe matches(text.payload.span, pattern.payload.span, collation, call)
            : matchesByCharacter(text, collation, call)
    }

    private func matches(
        _ text: borrowing Span<UInt8>, _ pattern: borrowing Span<UInt8>, _ collation: TextCollation, _ call: QueryCall
    ) throws -> Bool? {
        var (place, next) = (0, 0)
        var (steps, nextCharge) = (0, Self.chargedStepCount)
        // The position after the last % and the shortest text that it must match, the only point of backtracking.
        var run: (next: Int, place: Int)?
        while place < text.count {
            steps += 1
            // One comparison for both limits, as this loop is the whole of a search.
            if steps == nextCharge {
                try call.charge(Self.chargedStepCount >> 6)
                guard steps < Self.maximumStepCount else { return nil }
                nextCharge += Self.chargedStepCount
            }
            if next < pattern.count {
                let sign = pattern[next]
                if sign == escape {
                    guard next + 1 < pattern.count else { return false }
                    if collation.areSame(pattern[next + 1], text[place]) {
                        (place, next) = (place + 1, next + 2)
                        continue
                    }
                } else if sign == 0x25 {
                    next += 1
                    run = (next, place)
                    continue
                } else if sign == 0x5F {
                    (place, next) = (ValueText.next(text, place), next + 1)
                    continue
                } else if collation.areSame(sign, text[place]) {
                    (place, next) = (place + 1, next + 1)
                    continue
                }
            }
            guard let last = run else { return false }
            place = ValueText.next(text, last.place)
            next = last.next
            run = (last.next, place)
        }
        while next < pattern.count, pattern[next] == 0x25, escape != 0x25 { next += 1 }
        return next == pattern.count
    }

    // MARK: Collations that compare characters

    private enum Piece {
        case run
        case one
        /// A character, by its range in the pattern's UTF-8.
        case character(Range<Int>)
    }

    /// Returns the pattern, split into wildcards and characters; nil if it ends in the escape character.
    private func pieces(_ pattern: String) -> [Piece]? {
        var pieces: [Piece] = []
        var isEscaped = false
        var offset = 0
        for character in pattern {
            defer { offset += character.utf8.count }
            if !isEscaped, let escape, character.asciiValue == escape {
                isEscaped = true
            } else if !isEscaped, character == "%" {
                pieces.append(.run)
            } else if !isEscaped, character == "_" {
                pieces.append(.one)
            } else {
                pieces.append(.character(offset..<offset + character.utf8.count))
                isEscaped = false
            }
        }
        return isEscaped ? nil : pieces
    }

    private func matchesByCharacter(_ text: QueryBytes, _ collation: TextCollation, _ call: QueryCall) throws -> Bool? {
        let pattern = pattern.string
        guard let pieces = pieces(pattern) else { return false }
        var steps = 0
        let characters = try TextCharacters(text, call)
        let (bytes, patternBytes) = (characters.text.utf8.span, pattern.utf8.span)
        var (place, next) = (0, 0)
        var run: (next: Int, place: Int)?
        while place < characters.count {
            steps += 1
            try call.charge(1)
            guard steps < Self.maximumStepCount >> 6 else { return nil }
            if next < pieces.count {
                switch pieces[next] {
                case .run:
                    next += 1
                    run = (next, place)
                    continue
                case .one:
                    (place, next) = (place + 1, next + 1)
                    continue
                case .character(let character):
                    let found = bytes.extracting(characters.range(place))
                    if collation.compare(patternBytes.extracting(character), found) == 0 {
                        (place, next) = (place + 1, next + 1)
                        continue
                    }
                }
            }
            guard let last = run else { return false }
            (place, next) = (last.place + 1, last.next)
            run = (last.next, place)
        }
        return pieces[next...].allSatisfy { if case .run = $0 { true } else { false } }
    }
}

extension TextCollation {
    /// Returns whether a nonempty text occurs in another one under this collation; nil if that takes too many
    /// comparisons. The work is charged to a call.
    func contains(_ part: QueryBytes, in text: QueryBytes, _ call: QueryCall) throws -> Bool? {
        if isBinary { return ValueText.find(part, in: text) != nil }
        guard part.count > 0 else { return false }
        guard isBytewise else { return try containsByCharacter(part, in: text, call) }
        var folded = GrowingBytes(capacity: text.count)
        var sought = GrowingBytes(capacity: part.count)
        appendKey(of: unsafe text.payload.span, to: &folded)
        appendKey(of: unsafe part.payload.span, to: &sought)
        return unsafe folded.withUnsafeBytes { bytes in
            unsafe sought.withUnsafeBytes { soughtBytes in
                let text = unsafe QueryBytes(bytes.bindMemory(to: UInt8.self), JSONBType.text)
                return unsafe ValueText.find(
                    QueryBytes(soughtBytes.bindMemory(to: UInt8.self), JSONBType.text), in: text) != nil
            }
        }
    }

    private func containsByCharacter(_ part: QueryBytes, in text: QueryBytes, _ call: QueryCall) throws -> Bool? {
        let (sought, characters) = (try TextCharacters(part, call), try TextCharacters(text, call))
        let (soughtBytes, bytes) = (sought.text.utf8.span, characters.text.utf8.span)
        guard characters.count >= sought.count else { return false }
        var steps = 0
        for start in 0...(characters.count - sought.count) {
            var length = 0
            while length < sought.count {
                let found = bytes.extracting(characters.range(start + length))
                guard compare(found, soughtBytes.extracting(sought.range(length))) == 0 else { break }
                length += 1
            }
            if length == sought.count { return true }
            steps += length + 1
            try call.charge(length + 1)
            guard steps < LikePattern.maximumStepCount >> 6 else { return nil }
        }
        return false
    }
}

/// The ranges of the characters (grapheme clusters) of a text in its bytes, in four bytes of memory for each.
private struct TextCharacters {
    /// The text, in which invalid UTF-8 is replaced.
    let text: String
    /// The offsets at which the characters end.
    private var ends: [UInt32] = []

    init(_ text: QueryBytes, _ call: QueryCall) throws {
        self.text = text.string
        var end: UInt32 = 0
        for character in self.text {
            try call.charge(1)
            end += UInt32(truncatingIfNeeded: character.utf8.count)
            ends.append(end)
        }
    }

    var count: Int { ends.count }

    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]) }
}
