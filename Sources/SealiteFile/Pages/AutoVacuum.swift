/// The auto-vacuum mode: how a database returns free pages. https://sqlite.org/pragma.html#pragma_auto_vacuum
public enum AutoVacuum: Int, Sendable {
    /// Free pages stay in the file until VACUUM.
    case none = 0
    /// Each commit truncates free pages.
    case full = 1
    /// `PRAGMA incremental_vacuum` truncates free pages.
    case incremental = 2
}
