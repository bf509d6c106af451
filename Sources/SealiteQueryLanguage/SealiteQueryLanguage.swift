// SQL++: a parser and a printer of syntax trees, without files, database or Foundation.
//
// `Documentation/QueryLanguage.md` specifies the language. Start reading here:
// - `Statement`, `Query`, `Select` and `Expression` are the tree;
// - `Statement.init(parsing:)` parses it with `Lexer` and `Parser`, and throws `QuerySyntaxError`;
// - `Statement.description` prints it with `Printer`: the text parses to an equal tree;
// - `FunctionSignature` is the table of functions, `QueryLimits` are the limits.
//
// The tree represents syntax only: planning checks whether names are declared and aggregates are allowed where they
// are.
