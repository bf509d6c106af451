import CSQLite
import SealiteFile

extension RawConnection {
    /// Keeps the schema of a copied database from calling functions of the program that runs the copy, such as those that
    /// a host registers on every connection: the copy doesn't need them. Must be called before the schema is read.
    ///
    /// SQLite before 3.41 doesn't mark its own JSON functions as harmless, and without trust it then refuses every schema
    /// that uses them in an index, a generated column or a CHECK. With such a version the schema is trusted if no function
    /// that isn't SQLite's own could be called by it. <https://sqlite.org/c3ref/c_deterministic.html#sqliteinnocuous>
    /// An extension was loaded so that the schema can call its functions, few of which are marked as harmless; with one the
    /// schema is trusted, as in the database's own program.
    func limitSchemaTrust() {
        let isTrusted = !extensions.isEmpty || ((try? hasOnlyHarmlessFunctions()) ?? false)
        unsafe sealite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, isTrusted ? 1 : 0)
    }

    private static let functionsOfJSON: Set = [
        "->", "->>", "json", "json_array", "json_array_length", "json_extract", "json_group_array", "json_group_object",
        "json_insert", "json_object", "json_patch", "json_quote", "json_remove", "json_replace", "json_set",
        "json_type",
        "json_valid",
    ]
    /// The functions of FTS, Sealite's among them, and of R-trees that work on a row of a virtual table only, or look at one.
    private static let functionsOfTables: Set = [
        "bm25", "fts5", "fts5_source_id", "highlight", "match", "matchinfo", "offsets", "optimize", "query_highlight",
        "query_hits", "query_rank", "query_snippet", "rtreecheck",
        "rtreedepth", "rtreenode", "snippet",
    ]

    /// Returns whether SQLite's JSON functions aren't marked as harmless, and all other functions that a schema could call
    /// are, or are SQLite's own.
    private func hasOnlyHarmlessFunctions() throws(SealedFileError) -> Bool {
        let marked = Int64(SQLITE_INNOCUOUS | SQLITE_DIRECTONLY)
        var names: Set<String> = []
        // The pragma, unlike its table, doesn't read the schema.
        try query("PRAGMA function_list") { (row) throws(SealedFileError) in
            if row.integer(5) & marked == 0 { names.insert(row.text(0) ?? "") }
        }
        return !names.isDisjoint(with: Self.functionsOfJSON)
            && names.subtracting(Self.functionsOfJSON).isSubset(of: Self.functionsOfTables)
    }
}
