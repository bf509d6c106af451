// The values of MongoDB: BSON's types, Extended JSON, how they lie in stored bodies, their order, and the validator of JSON Schema.
//
// `Documentation/Values.md` is the specification. A reader starts here:
// - `BSON` is a value of any type, `MongoDocument` a document with its members in order;
// - `ObjectID`, `Decimal128`, `Binary`, `Timestamp`, `DateTime` and `Regex` are the types that JSON doesn't have;
// - `BSON.compared(to:)` is the order of values, `BSONKey` a value as a key of sets by that order;
// - `BSON.init(extendedJSON:)` and `extendedJSON(_:)` are the texts of values.
