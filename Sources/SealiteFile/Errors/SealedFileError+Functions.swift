import CSQLite

extension SealedFileError {
    /// Returns the error for a statement that SQLite refused with a message such as "no such function: body_key", if it
    /// misses one of the SQL functions, the table or the tokenizer of documents, and this program doesn't have them; nil
    /// for every other message.
    ///
    /// The statement itself needn't name what is missing: SQLite calls the functions of an index or a trigger too, when
    /// the table is written or checked. It doesn't write the row then, so the index stays sound.
    static func missingFunctions(_ message: String) -> SealedFileError? {
        guard sealite_has_hook() == 0, let missing = missingName(message) else { return nil }
        return SealedFileError(
            .refused,
            """
            the statement, or an index or a trigger of its table, needs \(missing), one of the SQL functions of \
            documents, which this program doesn't have
            """,
            hint: "link SealiteDatabase into the program, or use one that has loaded libsealitevfs.so")
    }

    /// Returns the name that SQLite didn't find according to one of its messages, if `SealiteFunctions` defines names
    /// like it.
    static func missingName(_ message: String) -> String? {
        let kinds = ["no such function: ", "unknown function: ", "no such table: ", "no such tokenizer: "]
        guard let kind = kinds.first(where: message.hasPrefix) else { return nil }
        var name = message.dropFirst(kind.count)
        if name.hasPrefix("main.") { name = name.dropFirst("main.".count) }
        if name.hasSuffix("()") { name = name.dropLast(2) }
        let isOurs =
            switch kind {
            case "no such tokenizer: ": name == "sealite"
            case "no such table: ": name == "query_each"
            default: name == "mongo_entries" || ["body_", "query_"].contains(where: name.hasPrefix)
            }
        return isOurs ? String(name) : nil
    }
}
