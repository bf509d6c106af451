internal import FoundationEssentials
internal import SealiteDatabase

/// The columns of a query's result, shared by all its rows.
final class ResultColumns: Sendable {
    let names: [String]
    /// A Boolean value that says whether the query has SELECT VALUE: each row is the value of its only column.
    let isValue: Bool
    private let positions: [String: Int]

    init(_ names: [String], isValue: Bool) {
        self.names = names
        self.isValue = isValue
        positions = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
    }

    func position(_ name: String) -> Int? { positions[name] }
}
