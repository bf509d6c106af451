internal import SealiteQueryLanguage

/// A common table of a query that is being translated: a query to which WITH has given a name.
struct CommonTableEntry {
    let name: String
    let sql: String
    let columns: [String]
    let isValue: Bool
}
