// The SQL functions over stored bodies, on every connection of a process that opens sealed files.
//
// A reader starts here, with `Documentation/Functions.md`:
// - `BodyFunctions` lists them and gives them to connections;
// - `BodyCall` is what SQLite calls a function with: its arguments, the element at a path, its result;
// - each function has a file: `BodyValue`, `BodyElement`, `BodyKey`.
