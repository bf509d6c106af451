internal import SealiteFile

/// The result of a guide.
package struct GuideAnswer {
    /// The application id and user version for the new database if page 1 is lost; nil if the database doesn't belong
    /// to the guide's program after all.
    package var applicationID: Int32?
    package var userVersion: Int32?
    /// The number of rows of unknown tables that were restored although their end is lost.
    package var recoveredPartialRowCount = 0

    package init() {}
}
