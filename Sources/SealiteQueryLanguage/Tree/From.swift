/// The FROM clause of a SELECT: the first source and the joins, in order.
package struct From: Sendable, Equatable {
    package var source: Source
    package var joins: [Join]

    package init(_ source: Source, _ joins: [Join] = []) {
        self.source = source
        self.joins = joins
    }
}
