internal import SealiteFile

/// The result of ``SalvageGuide/place(_:)``.
package struct GuideAnswer {
    /// The application id and the user version of the guide's program, which the new database gets if page 1 is lost.
    /// If either is nil, the database doesn't belong to that program.
    package var applicationID: Int32?
    package var userVersion: Int32?
    /// The number of rows that the guide restored from ``GuidedSalvage/partialRows``, although the end of each row is
    /// lost.
    package var recoveredPartialRowCount = 0

    package init() {}
}
