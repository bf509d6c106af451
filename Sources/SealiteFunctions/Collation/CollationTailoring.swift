/// The differences of a locale's order of strings from the root order.
struct CollationTailoring: Sendable {
    /// A string that has elements of its own.
    struct Mapping: Sendable {
        /// The scalars behind the first.
        let suffix: [UInt32]
        let elements: [CollationElement]
    }

    /// Primary weights of the root order that are moved, with all others of a script.
    struct Move: Sendable {
        let weights: Range<UInt32>
        let distance: UInt32
    }

    /// The mappings by the first scalar, the longest first.
    let mappings: [UInt32: [Mapping]]
    let moves: [Move]
    /// True if capitals come before small letters.
    let hasCapitalsFirst: Bool
    /// True if a string of ASCII characters alone has elements of its own.
    let changesASCII: Bool

    /// Reads the words of one tailoring, which the tables hold one after another.
    struct Reader {
        private let words: [UInt32]
        private var place: Int

        init(words: [UInt32], place: Int) { (self.words, self.place) = (words, place) }

        mutating func word() -> UInt32 {
            defer { place += 1 }
            return words[place]
        }

        mutating func count() -> Int { Int(word()) }

        /// The locale's name: at most eight bytes.
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

    /// Reads what follows the name.
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

    /// The tailoring of a locale, `sv`, `de_AT`, or else of the language alone; nil for the root order.
    static func of(locale: String) -> CollationTailoring? {
        var name = locale.lowercased()
        while !name.isEmpty {
            if let found = CollationTables.shared.tailoring(name) { return found }
            name = name.lastIndex(of: "_").map { String(name[..<$0]) } ?? ""
        }
        return nil
    }

    /// The elements with the weights of scripts that come earlier or later in this locale.
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
