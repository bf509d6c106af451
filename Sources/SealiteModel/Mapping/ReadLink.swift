internal import SealiteValues

/// A link that was read.
struct ReadLink {
    let target: String
    let key: PropertyType
    let foreignKey: String?
    let title: String
    let path: [String]
}
