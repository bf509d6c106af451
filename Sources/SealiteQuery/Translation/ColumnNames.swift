internal import SealiteQueryLanguage

/// Chooses the names of a result's columns, one after another.
struct ColumnNames {
    private let explicit: Set<String>
    private var given: [String: Int] = [:]
    private var unnamedCount = 0

    init(explicit: [String]) { self.explicit = Set(explicit) }

    /// Returns the name of the next column: its alias; or its natural name, such as that of the property, with a space
    /// and `#2`, `#3` and so on after it if an alias or an earlier column has it; or, for a column without either,
    /// `$1`, `$2` and so on.
    mutating func name(alias: String?, natural: String?) -> String {
        assert(alias.map { explicit.contains($0) } ?? true, "all aliases are known before the first name is chosen")
        if let alias { return alias }
        guard let natural else {
            unnamedCount += 1
            return "$\(unnamedCount)"
        }
        var name = natural
        repeat {
            given[natural, default: explicit.contains(natural) ? 1 : 0] += 1
            let count = given[natural] ?? 1
            name = count == 1 ? natural : "\(natural) #\(count)"
        } while explicit.contains(name)
        return name
    }
}
