internal import SealiteQueryLanguage

/// The value to which a path leads, in SQL: a base value, and the steps from it.
struct Located {
    /// The SQL of the base value: a document's body or another query value.
    let base: String
    let steps: ArraySlice<PathStep>
    /// The SQL of the base value and the steps, as arguments of one function call; not valid for slices.
    let arguments: String

    init(base: String, steps: ArraySlice<PathStep>) {
        (self.base, self.steps) = (base, steps)
        arguments = base + SQLText.steps(steps)
    }

    /// A Boolean value that says whether there are steps, and one call of an SQL function can follow all of them.
    var isPlain: Bool {
        !steps.isEmpty && steps.count <= Translator.argumentLimit
            && steps.allSatisfy { if case .slice = $0 { false } else { true } }
    }

    /// The SQL of the value at the end of the steps.
    var value: String {
        if isPlain { return SQLText.joined("query_value(", arguments, ")") }
        var (sql, plain) = (base, [PathStep]())
        func flushed() -> String { plain.isEmpty ? sql : "query_value(\(sql)\(SQLText.steps(plain)))" }
        for step in steps {
            if case .slice(let from, let to) = step {
                sql = "query_slice(\(flushed()), \(from.map(String.init) ?? "NULL"), \(to.map(String.init) ?? "NULL"))"
                plain = []
            } else {
                if plain.count == Translator.argumentLimit { (sql, plain) = (flushed(), []) }
                plain.append(step)
            }
        }
        return flushed()
    }
}
