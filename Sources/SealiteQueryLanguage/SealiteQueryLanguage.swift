// SQL++: text → tree → text. Pure: no files, no database, no Foundation, nothing but the standard library.
//
// `Documentation/QueryLanguage.md` is the language. A reader starts here:
// - `Statement`, `Query`, `Select` and `Expression` are the tree;
// - `Statement.init(parsing:)` reads it, by `Lexer` and `Parser`, and throws `QuerySyntaxError`;
// - `Statement.description` writes it, by `Printer`: its text parses to an equal tree;
// - `FunctionSignature` is the table of functions, `QueryLimits` are the limits.
//
// The tree knows syntax only: that a name is declared, that an aggregate stands where it may, is decided where a query is planned.
