import ArgumentParser
import SealiteDatabase
import SealiteQuery

/// A parameter on the command line: `name=json`. The name may begin with `$`, or as in SQL with `:` or `@`.
struct QueryParameter: ExpressibleByArgument {
    let name: String
    let value: Value
    /// The value as it was typed.
    let text: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        name = String(argument[..<equals].drop { "$:@".contains($0) })
        text = String(argument[argument.index(after: equals)...])
        // A single value isn't a document; as a member it is parsed by the same rules.
        let member = try? DictionaryObject(json: "{\"value\":\(text)}")
        value = member?.count == 1 ? member?.value(forKey: "value") ?? .string(text) : .string(text)
    }
}
