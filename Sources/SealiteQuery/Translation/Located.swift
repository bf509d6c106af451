internal import SealiteQueryLanguage

/// The value to which a path leads, in SQL: a base value, and the steps from it.
struct Located {
    /// The SQL of the base value: a document's body or another query value.
    let base: String
    let steps: ArraySlice<PathStep>
    /// The SQL of the base value and the steps, as arguments of one function call; not valid for slices and stars.
    let arguments: String

    init(base: String, steps: ArraySlice<PathStep>) {
        (self.base, self.steps) = (base, steps)
        arguments = base + SQLText.steps(steps)
    }

    /// A Boolean value that says whether there are steps, and one call of an SQL function can follow all of them.
    var isPlain: Bool {
        !steps.isEmpty && steps.count <= Translator.argumentLimit && steps.allSatisfy(\.isPlain)
    }

    /// The SQL of the value at the end of the steps.
    var value: String {
        if isPlain { return SQLText.joined("query_value(", arguments, ")") }
        var (sql, plain) = (base, [PathStep]())
        func flushed() -> String { plain.isEmpty ? sql : "query_value(\(sql)\(SQLText.steps(plain)))" }
        var rest = steps
        while let step = rest.popFirst() {
            switch step {
            case .slice(let from, let to):
                sql = "query_slice(\(flushed()), \(from.map(String.init) ?? "NULL"), \(to.map(String.init) ?? "NULL"))"
                plain = []
            case .star:
                // With the name after the star, the function makes only one of the arrays.
                var name: [PathStep] = []
                if case .name? = rest.first { name = [rest.removeFirst()] }
                sql = "query_array_star(\(flushed())\(SQLText.steps(name)))"
                plain = []
            case .name, .index:
                if plain.count == Translator.argumentLimit { (sql, plain) = (flushed(), []) }
                plain.append(step)
            }
        }
        return flushed()
    }
}
