// JSON and JSONB as bytes: parsing, serialization, comparison, and edits without decoding. No documents, no SQLite, no
// Foundation.
//
// Read first, together with `Documentation/JSON.md`:
// - `JSONScanner` parses text and passes values to a sink; `JSONRules` are the options of parsers;
// - `JSONMemberReader` reads a message member by member, `JSONTextWriter` writes one;
// - `JSONBElement` is an element of stored JSONB, `JSONBEdit` edits one at a path, `JSONBSerializer` serializes it as
//   text;
// - `ValueOrder` and `JSONNumber` compare values.
