import ArgumentParser

/// The words of a command line, as most command lines have them: options by their exact names, each at most once unless
/// it may be repeated, and no option's value that begins with a hyphen.
///
/// swift-argument-parser finds the options of a command by reflection, which takes several milliseconds. Commands that
/// start often take theirs from here, in microseconds. Whatever isn't plain, help and errors included, is left to the
/// parser: this gives the command that the parser would give, or none (`PlainArgumentsTests`).
struct PlainArguments {
    /// The words that weren't taken; nil in the place of each that was.
    private var words: [String?]

    /// Throws unless each word may be plain. An argument that isn't UTF-8 has replacement characters.
    init(_ words: some Sequence<String>) throws(NotPlain) {
        self.words = []
        for word in words {
            guard !word.isEmpty, !word.unicodeScalars.contains("\u{FFFD}") else { throw NotPlain() }
            self.words.append(word)
        }
    }

    /// Takes a flag; returns whether it is there.
    mutating func flag(_ names: String...) -> Bool {
        guard let place = words.firstIndex(where: { word in word.map(names.contains) ?? false }) else { return false }
        words[place] = nil
        return true
    }

    /// Takes the value of an option, nil if it isn't there. The long name may be joined to the value by "=".
    mutating func value<Value: ExpressibleByArgument>(
        _ names: String..., as type: Value.Type = String.self
    ) throws(NotPlain) -> Value? {
        for (place, word) in words.enumerated() {
            guard let word, word.utf8.first == UInt8(ascii: "-") else { continue }
            let text: String
            if names.contains(word) {
                guard place + 1 < words.count, let next = words[place + 1], !next.hasPrefix("-") else {
                    throw NotPlain()
                }
                text = next
                words[place + 1] = nil
            } else if let equals = word.firstIndex(of: "="), names.contains(String(word[..<equals])),
                word.hasPrefix("--")
            {
                text = String(word[word.index(after: equals)...])
                guard !text.isEmpty else { throw NotPlain() }
            } else {
                continue
            }
            words[place] = nil
            guard let value = Value(argument: text) else { throw NotPlain() }
            return value
        }
        return nil
    }

    /// Takes the values of an option that may be repeated.
    mutating func values<Value: ExpressibleByArgument>(
        _ name: String, as type: Value.Type = String.self
    ) throws(NotPlain) -> [Value] {
        var values: [Value] = []
        while let value = try value(name, as: Value.self) { values.append(value) }
        return values
    }

    /// Returns the words that weren't taken. Throws if one of them is an option, or if their number isn't in the range.
    func rest(_ count: ClosedRange<Int>) throws(NotPlain) -> [String] {
        let rest = words.compactMap(\.self)
        guard count.contains(rest.count), !rest.contains(where: { $0.hasPrefix("-") }) else { throw NotPlain() }
        return rest
    }
}

/// A command line is to be read by the parser of all commands.
struct NotPlain: Error {}
