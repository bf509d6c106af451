// Queries over documents: SQL++ and the query builder, translated to SQL over stored bodies.
//
// A reader starts here, with `Documentation/Queries.md`:
// - `Query` is what an application runs; `ResultSet` and `Result` are what it gets;
// - `Translator` turns a tree of `SealiteQueryLanguage` into SQL: its extensions have a part of the language each;
// - `LiveHub` runs queries again for those who observe them; what is done when is in `LiveState`, as values;
// - `Scope` says what a name means at a place of a query, `SQLPiece` what a piece of SQL gives.
