internal import SealiteFile
internal import SealiteMaintenance

/// The outcome of a salvage for one collection.
public struct SalvagedCollection: Sendable, Equatable, Encodable {
    /// The collection's number: its table is `documents_<number>`.
    public let number: Int
    /// The name of the collection's scope.
    public let scope: String
    /// The collection's name.
    public let name: String
    /// A Boolean value that says whether the name is the original name; false if the original name is lost, and for
    /// collections of the scope `recovered`.
    public internal(set) var isNameKnown = true
    /// The number of documents that are now in the collection, without tombstones.
    public internal(set) var documentCount = 0
    /// The number of tombstones that are now in the collection.
    public internal(set) var tombstoneCount = 0
    /// The number of documents and tombstones that were found outside of the collection's b-tree.
    public internal(set) var foundApartCount = 0
    /// The number of documents and tombstones, among the recovered ones, that may be outdated or purged, because it is
    /// unknown whether their page was in use.
    public internal(set) var unconfirmedCount = 0
    /// The ids of documents whose history is lost; their current revision is present.
    public internal(set) var withoutHistory: [String] = []
    /// The ids of lost documents and tombstones of the collection. Documents whose row was found without evidence of
    /// their collection are in ``SalvagedDocuments/unplaced`` too.
    public internal(set) var missing: [String] = []
    /// A Boolean value that says whether `missing` lists all lost documents.
    public internal(set) var isMissingComplete = true

    /// The scope's name and the collection's name: `scope.name`.
    public var fullName: String { "\(scope).\(name)" }

    /// A Boolean value that says whether no part of the collection is known to be missing.
    public var isComplete: Bool {
        isNameKnown && unconfirmedCount == 0 && withoutHistory.isEmpty && missing.isEmpty && isMissingComplete
    }
}
