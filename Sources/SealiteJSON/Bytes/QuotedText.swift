extension String {
    /// Returns the text with a scalar replaced wherever it stands.
    ///
    /// By Unicode scalars: for Swift's own search an apostrophe with a combining mark behind it is another character, for SQL, a shell and CSV it is
    /// an apostrophe.
    package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
        guard unicodeScalars.contains(scalar) else { return self }
        var result = String.UnicodeScalarView()
        for next in unicodeScalars {
            if next == scalar { result.append(contentsOf: replacement.unicodeScalars) } else { result.append(next) }
        }
        return String(result)
    }

    /// Returns the text between quotation marks, with each of them doubled that stands in it: as SQL and CSV have it.
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
