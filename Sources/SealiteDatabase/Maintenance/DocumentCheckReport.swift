internal import SealiteFile

/// The result of a check of the documents, blobs and indexes in a sealed file.
package struct DocumentCheckReport: Sendable, Codable, Equatable {
    /// Descriptions of what is wrong in the file, at most 100; content is not quoted. Empty if nothing was found, or
    /// nothing was checked.
    package let findings: [String]
    /// A Boolean value that says whether there are findings and all of them concern indexes, which can be rebuilt.
    package let isRepairedByReindexing: Bool
    /// The reason for which nothing was checked; nil if the file was checked.
    package let reasonForNoCheck: String?

    /// The number of blobs that documents refer to and whose content isn't stored; nil if nothing was checked.
    package var missingBlobCount: Int?

    init(findings: [String], isRepairedByReindexing: Bool) {
        (self.findings, self.isRepairedByReindexing, reasonForNoCheck) = (findings, isRepairedByReindexing, nil)
    }

    init(reasonForNoCheck: String) {
        (findings, isRepairedByReindexing, self.reasonForNoCheck) = ([], false, reasonForNoCheck)
    }
}
