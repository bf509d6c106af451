internal import SealiteFile
public import SealiteMaintenance

/// The result of the salvage of a damaged file.
public struct DocumentSalvageReport: Sendable, Equatable, Encodable {
    /// The report on pages, tables and rows.
    public let file: SalvageReport
    /// The report on documents; nil if the file contains no document database.
    public let documents: SalvagedDocuments?

    /// A Boolean value that says whether nothing is known to be missing.
    public var isComplete: Bool { file.isComplete && documents?.isComplete ?? true }

    private enum CodingKeys: CodingKey { case documents, isComplete }

    /// Encodes the members of the file's report, and `documents` and `isComplete` beside them.
    public func encode(to encoder: any Encoder) throws {
        try file.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(documents, forKey: .documents)
        try container.encode(isComplete, forKey: .isComplete)
    }
}
