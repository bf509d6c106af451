extension PropertyType {
    /// The type of the innermost items of nested lists, sets and dictionaries; for other types the type itself.
    var innermost: PropertyType {
        switch self {
        case .array(let item), .set(let item), .dictionary(let item): item.innermost
        default: self
        }
    }
}
