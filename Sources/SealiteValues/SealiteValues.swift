// The values of MongoDB: BSON's types, Extended JSON, the stored form of values in bodies, their order, and the
// validator of JSON Schema.
//
// `Documentation/Values.md` is the specification. Read first:
// - `BSON` is a value of any type, `MongoDocument` a document with its members in order;
// - `ObjectID`, `Decimal128`, `Binary`, `Timestamp`, `DateTime` and `Regex` are the types that JSON lacks;
// - `BSON.compared(to:)` is the order of values, `BSONKey` a value as a key of sets by this order;
// - `BSON.init(extendedJSON:)` and `extendedJSON(_:)` convert between values and texts.
