import ArgumentParser
import SealiteFile

/// A path with a name: `old=archive.db`.
struct NamedPath: ExpressibleByArgument {
    let name: String
    let path: String

    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
        name = String(argument[..<sign])
        path = String(argument[argument.index(after: sign)...])
        guard !path.isEmpty else { return nil }
    }
}
