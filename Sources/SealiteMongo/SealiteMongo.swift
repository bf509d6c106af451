// The MongoDB-style API: filters, projections, updates and aggregation over documents.
//
// A reader starts here, with `Documentation/Mongo.md`:
// - `MongoCollection` is what an application calls;
// - `Row` is a document as the operators see it: a stored body read in place, or one that was made;
// - `Filter` is a parsed filter, `Update` a parsed update;
// - `AggregationExpression` is a parsed expression; `ExpressionOperator.all` is the table of its operators;
// - `Pipeline` is a parsed aggregation pipeline; `StageKind.all` is the table of its stages;
// - `MongoError` has MongoDB's numbers.
