/// The differences of a locale's collation from the root order.
struct CollationTailoring: Sendable {
    /// A string that has its own elements in a tailoring.
    struct Mapping: Sendable {
        /// The scalars of the string after the first one.
        let suffix: [UInt32]
        let elements: [CollationElement]
    }

    /// A range of primary weights of the root order, those of a script, and the distance by which the locale moves
    /// them.
    struct Move: Sendable {
        let weights: Range<UInt32>
        let distance: UInt32
    }

    /// The mappings by their first scalar, the longest strings first.
    let mappings: [UInt32: [Mapping]]
    let moves: [Move]
    /// A Boolean value that says whether uppercase letters come before lowercase letters.
    let hasCapitalsFirst: Bool
    /// A Boolean value that says whether the locale has rules for a string that consists of ASCII characters.
    let changesASCII: Bool

    /// A reader of the words of one tailoring; the tables contain the tailorings in sequence.
    struct Reader {
        private let words: [UInt32]
        private var place: Int

        init(words: [UInt32], place: Int) { (self.words, self.place) = (words, place) }

        mutating func word() -> UInt32 {
            defer { place += 1 }
            return words[place]
        }

        mutating func count() -> Int { Int(word()) }

        /// Reads the locale's name, which has at most eight bytes.
        mutating func name() -> String {
            let bits = UInt64(word()) | UInt64(word()) << 32
            var name = ""
            for index in 0..<8 {
                let byte = UInt8(truncatingIfNeeded: bits >> UInt64(8 * index))
                if byte != 0 { name.unicodeScalars.append(Unicode.Scalar(byte)) }
            }
            return name
        }
    }

    /// Creates a tailoring from the words that follow its name in the tables.
    init(_ reader: inout Reader) {
        hasCapitalsFirst = reader.word() == 1
        moves = (0..<reader.count()).map { _ in
            let (first, end) = (reader.word(), reader.word())
            return Move(weights: first..<end, distance: reader.word())
        }
        var mappings: [UInt32: [Mapping]] = [:]
        var changesASCII = false
        for _ in 0..<reader.count() {
            let (scalarCount, elementCount) = (reader.count(), reader.count())
            let scalars = (0..<scalarCount).map { _ in reader.word() }
            let elements = (0..<elementCount).map { _ in CollationElement(reader.word(), reader.word()) }
            changesASCII = changesASCII || scalars.allSatisfy { $0 < 0x80 }
            guard let starter = scalars.first else { continue }
            mappings[starter, default: []].append(Mapping(suffix: Array(scalars.dropFirst()), elements: elements))
        }
        (self.mappings, self.changesASCII) = (mappings, changesASCII)
    }

    /// Returns the tailoring of a locale such as `sv` or `de_AT`, or of its language if the locale has none; nil for
    /// the root order.
    static func of(locale: String) -> CollationTailoring? {
        var name = locale.lowercased()
        while !name.isEmpty {
            if let found = CollationTables.shared.tailoring(name) { return found }
            name = name.lastIndex(of: "_").map { String(name[..<$0]) } ?? ""
        }
        return nil
    }

    /// Returns the given element, with its primary weight moved if the locale moves the weights of its script.
    func move(_ element: CollationElement) -> CollationElement {
        let weight = element.primary >> 16
        for move in moves where move.weights.contains(weight) {
            var moved = element
            moved.primary &+= move.distance << 16
            return moved
        }
        return element
    }
}
