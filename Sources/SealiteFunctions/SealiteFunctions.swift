// The SQL functions on stored bodies and the functions of queries. A program that links this module has them on every
// connection that it opens after the first sealed file: `registerOnNewConnection` is SealiteFile's hook.
//
// Functions on bodies: read `Bodies` first, together with `Documentation/Functions.md`:
// - `BodyFunctions` lists them and registers all functions on connections;
// - `BodyCall` is a call from SQLite: its arguments, the element at a path, its result;
// - each function has a file: `BodyValue`, `BodyElement`, `BodyKey`.
//
// Functions of queries: read `Values` first, together with `Documentation/QueryFunctions.md`:
// - `QueryValue` is a value in SQLite's representation, `QueryCall` a call with such values;
// - `QueryFunction` is an entry of the table of functions, which has a part in each of the other folders.
//
// `Work` is the budget of work and of memory (`Documentation/Queries.md` §5), to which the functions charge what they
// do: `WorkCounter` counts units, also for SealiteMongo, and `ConnectionWork` looks for an interruption of the
// statement of its connection.
//
// Strings are ordered by `TextCollation`; the Unicode collations are in `Collation` (`Documentation/Collation.md`,
// `UnicodeCollation`).
