// Queries over documents: SQL++ and the query builder, translated to SQL over stored bodies.
//
// Entry points for a reader, together with `Documentation/Queries.md`:
// - `Query` is the query that an application runs; `ResultSet` and `Result` are its results;
// - `Translator` translates a tree of `SealiteQueryLanguage` into SQL; each of its extensions handles a part of the
//   language;
// - `LiveQueryCoordinator` runs queries again for their observers; `LiveState` decides as a pure state machine what is
//   run when;
// - `Scope` resolves the names at a position of a query; `SQLPiece` describes the values of a piece of SQL.
