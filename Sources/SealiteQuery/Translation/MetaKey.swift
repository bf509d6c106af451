internal import SealiteQueryLanguage

/// The keys of `META()`, the metadata of a document.
enum MetaKey: String, CaseIterable {
    case id, sequence, deleted, expiration, revisionID, rowid

    init?(_ name: String) {
        guard let key = Self.allCases.first(where: { Names.areSame($0.rawValue, name) }) else { return nil }
        self = key
    }

    /// Creates the key of `META()` that a property such as `_id` stands for; nil for any other property.
    init?(property: String) {
        guard property.utf8.first == 0x5F, let key = Self.allCases.first(where: { "_\($0.rawValue)" == property })
        else { return nil }
        self = key
    }
}
