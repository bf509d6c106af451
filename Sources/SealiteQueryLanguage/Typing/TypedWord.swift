/// The last word of a query that is being typed, for suggestions of how it continues.
package struct TypedWord: Equatable {
    /// The kind of position at which a word is typed.
    package enum Position: Equatable {
        /// A collection or a scope is expected.
        case source
        /// The word follows a name and a dot. The associated value is the name.
        case member(of: String)
        case anywhere
    }

    /// The word as typed so far, including a leading backquote; empty if a new word begins.
    package let text: String
    /// The word as typed so far, without a leading backquote.
    package let name: String
    package let place: Position

    /// Finds the word that is being typed at the end of a text: the last word or, as an empty one, a new word after
    /// FROM, JOIN, INTO or UPDATE, or after a name and a dot. Nil if there is nothing to complete: anywhere else if no
    /// word has begun, inside a string or a comment, after a dot without a name before it, and if the text is too long
    /// or has an invalid character.
    package init?(atEndOf typed: String) {
        let bytes = Array(typed.utf8)
        guard bytes.count <= QueryLimits.textByteCount else { return nil }
        let lexer = Lexer(bytes)
        guard !lexer.endsInLineComment else { return nil }
        var tokens = Array(lexer.tokens.dropLast())
        var text = ""
        if let last = tokens.last {
            let word = String(decoding: bytes[Int(last.start)...], as: UTF8.self)
            switch last.kind {
            case .invalid where word.first == "`", .word where Int(last.end) == bytes.count:
                text = word
                tokens.removeLast()
            case .invalid: return nil
            default: break
            }
        }
        self.text = text
        name = String(text.drop { $0 == "`" })
        if let last = tokens.last, last.kind == .dot {
            guard let owner = tokens.dropLast().last, owner.isName else { return nil }
            let written = String(decoding: bytes[Int(owner.start)..<Int(owner.end)], as: UTF8.self)
            place = .member(of: written.filter { $0 != "`" })
        } else if let keyword = tokens.last?.keyword, [.from, .join, .into, .update].contains(keyword) {
            place = .source
        } else if text.isEmpty {
            return nil
        } else {
            place = .anywhere
        }
    }

    /// The words that suggestions are made from: the keywords and functions of SQL++, in upper case. Functions end with
    /// an opening parenthesis.
    package static let known: [String] =
        Keyword.allCases.map(\.text) + FunctionSignature.table.map { $0.name + "(" } + ["META("]
}
