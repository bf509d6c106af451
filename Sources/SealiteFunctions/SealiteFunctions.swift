// The SQL functions over stored bodies and the functions of queries, on every connection of a process that opens sealed files.
//
// A reader of the former starts here, with `Documentation/Functions.md`, in `Bodies`:
// - `BodyFunctions` lists them and gives all functions to connections;
// - `BodyCall` is what SQLite calls a function with: its arguments, the element at a path, its result;
// - each function has a file: `BodyValue`, `BodyElement`, `BodyKey`.
//
// A reader of the latter starts in `Values`, with `Documentation/QueryFunctions.md`:
// - `QueryValue` is a value as SQLite hands it around, `QueryCall` a call with such values;
// - `QueryFunction` is an entry of the table of functions, which has a part in each of the other folders.
//
// Strings are ordered by `TextCollation`, of which `Collation` has the Unicode collations (`Documentation/Collation.md`, `UnicodeCollation`).
