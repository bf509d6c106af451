// JSON and JSONB as bytes: read, written, compared and edited in place. No documents, no SQLite, no Foundation.
//
// A reader starts here, with `Documentation/JSON.md`:
// - `JSONScanner` reads text and hands what it finds to a sink; `JSONRules` is what may differ between callers;
// - `JSONMemberReader` reads a message member by member, `JSONTextWriter` writes one;
// - `JSONBElement` is an element of stored JSONB, `JSONBEdit` changes one at a path, `JSONBSerializer` makes text of it;
// - `ValueOrder` and `JSONNumber` say which value comes first.
