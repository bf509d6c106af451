import SealiteRevisions

/// Sources with names of one letter, whose texts are `AAAA…`, `BBBB…` and so on.
func source(_ letter: Character) -> SourceID {
    // The last character has two bits only.
    guard let source = SourceID(String(repeating: letter, count: 21) + "A") else { fatalError("\(letter)") }
    return source
}

/// A vector in short: `6@a,5@a,2@b;1@c`, in which a letter stands for a source.
func vector(_ text: String) -> VersionVector {
    do {
        return try VersionVector(expanded(text))
    } catch {
        fatalError("\(text): \(error)")
    }
}

/// A vector in short, with ids of a tree behind it.
func history(_ text: String) -> VersionHistory {
    do {
        return try VersionHistory(expanded(text))
    } catch {
        fatalError("\(text): \(error)")
    }
}

/// The text in which a letter behind `@` is the source of that letter.
func expanded(_ text: String) -> String {
    var expanded = ""
    var isSource = false
    for character in text {
        expanded += isSource && character != "*" ? source(character).description : String(character)
        isSource = character == "@"
    }
    return expanded
}

/// The source of a small number.
func source(numbered number: Int) -> SourceID {
    guard let source = SourceID(bytes: [UInt8](repeating: 3, count: 14) + [UInt8(number >> 8), UInt8(number & 255)])
    else { fatalError("\(number)") }
    return source
}

/// A version of a time that isn't zero.
func version(_ time: UInt64, _ source: SourceID) -> SourceVersion {
    guard let time = HybridTime(rawValue: time) else { fatalError("there is no time 0") }
    return SourceVersion(time: time, source: source)
}
