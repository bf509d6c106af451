internal import SealiteFile

/// The result of `SalvageGuide.place(_:)`, in which a guide to one program's tables moves rows to the tables they
/// belong to.
package struct GuideAnswer {
    /// The application id of the guide's program, which the new database gets if page 1 is lost; nil if the database
    /// doesn't belong to that program.
    package var applicationID: Int32?
    /// The user version of the guide's program, which the new database gets if page 1 is lost; nil if the database
    /// doesn't belong to that program.
    package var userVersion: Int32?
    /// The number of rows that the guide restored from `GuidedSalvage.partialRows`, although the end of each row is
    /// lost.
    package var recoveredPartialRowCount = 0

    package init() {}
}
