internal import SealiteDatabase
internal import SealiteJSON
public import SealiteValues

/// The members that an update changed.
public struct UpdateDescription: Codable, Sendable, Hashable {
    /// The members that were added or changed: their values by their paths, with dots between names. An array is given
    /// as a whole.
    public let updatedFields: MongoDocument
    /// The paths of the members that were removed.
    public let removedFields: [String]

    /// Creates a description of an update.
    public init(updatedFields: MongoDocument, removedFields: [String]) {
        (self.updatedFields, self.removedFields) = (updatedFields, removedFields)
    }
}
