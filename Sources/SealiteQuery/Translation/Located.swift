internal import SealiteQueryLanguage

/// The position to which a path leads, as a base and the last steps.
struct Located {
    /// The SQL of a body or of another query value.
    let base: String
    let steps: ArraySlice<PathStep>
    /// The base and the steps as arguments of one call, without slices.
    let arguments: String

    init(base: String, steps: ArraySlice<PathStep>) {
        (self.base, self.steps) = (base, steps)
        arguments = base + SQLText.steps(steps)
    }

    /// A Boolean value that says whether one call can follow all steps.
    var isPlain: Bool {
        !steps.isEmpty && steps.count <= Translator.argumentLimit
            && steps.allSatisfy { if case .slice = $0 { false } else { true } }
    }

    /// The value at the end of steps.
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
