// The MongoDB API: filters, projections, updates and aggregation of documents.
//
// Read first, together with `Documentation/Mongo.md`:
// - `MongoCollection` is the API of applications;
// - `Row` is a document that operators read: a stored body, read without a copy, or a document in memory;
// - `Filter` is a parsed filter, `Update` a parsed update;
// - `AggregationExpression` is a parsed expression; `ExpressionOperator.all` is the table of its operators;
// - `Pipeline` is a parsed aggregation pipeline; `StageKind.all` is the table of its stages;
// - `MongoError` has MongoDB's error codes.
