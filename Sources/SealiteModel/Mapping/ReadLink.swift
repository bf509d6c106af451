internal import SealiteValues

/// A link property that was read, to be checked when all types are known.
struct ReadLink {
    let target: String
    let key: PropertyType
    let foreignKey: String?
    let title: String
    let path: [String]
}
