extension String {
    /// Returns the text with every occurrence of a Unicode scalar replaced.
    ///
    /// The search is by Unicode scalars: Swift's own search treats an apostrophe followed by a combining mark as
    /// another character, while SQL, shells and CSV treat it as an apostrophe.
    package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
        guard unicodeScalars.contains(scalar) else { return self }
        var result = String.UnicodeScalarView()
        for next in unicodeScalars {
            if next == scalar { result.append(contentsOf: replacement.unicodeScalars) } else { result.append(next) }
        }
        return String(result)
    }

    /// Returns the text between two quotation marks `mark`, with each `mark` in it doubled, as in SQL and CSV.
    package func quoted(_ mark: Unicode.Scalar) -> String {
        var quoted = ""
        quoted.reserveCapacity(utf8.count + 2)
        quoted.unicodeScalars.append(mark)
        if !mark.isASCII || utf8.contains(UInt8(truncatingIfNeeded: mark.value)) {
            quoted += replacing(scalar: mark, with: "\(mark)\(mark)")
        } else {
            quoted += self
        }
        quoted.unicodeScalars.append(mark)
        return quoted
    }
}
