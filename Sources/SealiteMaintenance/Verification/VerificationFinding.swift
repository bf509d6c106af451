public import SealiteFile

/// A finding of a verification of a sealed database.
public struct VerificationFinding: Sendable, Codable, Equatable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Codable {
        /// Information; nothing is lost.
        case note
        /// Confirmed or suspected damage or alteration.
        case damage
    }

    /// The parts of a database that findings refer to.
    public enum Part: String, Sendable, Codable {
        /// A copy of the header, numbered 0 or 1.
        case header
        /// A key slot, numbered from 1.
        case keySlot = "key-slot"
        /// A page, numbered from 1.
        case page
        /// A frame of the write-ahead log, numbered from 0.
        case walFrame = "wal-frame"
        /// A unit of the rollback journal, numbered from 0.
        case journalUnit = "journal-unit"
        /// The content, according to SQLite's integrity check.
        case content
    }

    /// The severity of the finding.
    public let severity: Severity
    /// The code of the error that describes the finding, such as `damagedPage`.
    public let code: SealedFileError.Code
    /// The part of the database that the finding refers to.
    public let part: Part
    /// The number of the first page, frame, unit, key slot or header copy; nil if the finding concerns the whole part.
    public let first: Int?
    /// The number of the last page, frame, unit, key slot or header copy; nil if the finding concerns the whole part.
    public let last: Int?
    /// A description for people, in lower case and without a full stop.
    public let reason: String

    /// The number of pages, frames, units, key slots or header copies that the finding covers; 1 if it concerns the
    /// whole part.
    public var placeCount: Int {
        guard let first, let last else { return 1 }
        return last - first + 1
    }
}
