extension String {
    /// The words of a command line, separated by white space, by the quoting rules of a shell, which expands nothing:
    /// what is in single quotes stands as it is; in double quotes a backslash quotes `"`, `\`, `$` and a backquote;
    /// outside of quotes it quotes the next character. Nil if a quote isn't closed, or nothing follows a backslash.
    var commandWords: [String]? {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var scalars = unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch (quote, scalar) {
            case (let open?, _) where scalar == open: quote = nil
            case ("'"?, _): word?.unicodeScalars.append(scalar)
            case (_, "\\"):
                guard let next = scalars.next() else { return nil }
                if quote != nil, !"\"\\$`".unicodeScalars.contains(next) { word?.unicodeScalars.append(scalar) }
                word = word ?? ""
                word?.unicodeScalars.append(next)
            case (nil, "'"), (nil, "\""):
                quote = scalar
                word = word ?? ""
            case (nil, _) where scalar.properties.isWhitespace:
                if let word { words.append(word) }
                word = nil
            default:
                word = word ?? ""
                word?.unicodeScalars.append(scalar)
            }
        }
        guard quote == nil else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}
