internal import SealiteQueryLanguage

/// A query that WITH has given a name.
struct CommonTableEntry {
    let name: String
    let sql: String
    let columns: [String]
    let isValue: Bool
}
