// The SQL functions on stored bodies and the functions of queries. A program that links this module has them on every
// connection that it opens after the first sealed file: `registerOnNewConnection` is SealiteFile's hook.
//
// `BodyFunctions` registers all functions on connections.
//
// Functions on bodies are in `Bodies` (`Documentation/Functions.md`): `BodyCall` is a call from SQLite, with its
// arguments, the element at a path, and its result; `BodyElement.swift` has the functions.
//
// Functions of queries: read `Values` first, together with `Documentation/QueryFunctions.md`:
// - `FunctionValue` is a value in SQLite's representation, `QueryCall` a call with such values;
// - `QueryFunction` is an entry of the table of functions, which has a part in each of the other folders.
//
// `Work` is the budget of work and of memory (`Documentation/Queries.md` §5), to which the functions charge what they
// do: `WorkCounter` counts units, also for SealiteMongo, and `ConnectionWork` looks for an interruption of the
// statement of its connection.
//
// Strings are ordered by `TextCollation`; the Unicode collations are in `Collation` (`Documentation/Collation.md`,
// `UnicodeCollation`).
