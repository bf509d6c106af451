import SealiteFile

/// The content found for one page of a damaged file.
enum SalvagedPage {
    /// The page is authentic: its plaintext, with zeros in the last 48 bytes.
    case text([UInt8])
    /// The page is all zeros on disk.
    case neverWritten
    /// The page was altered, torn, truncated or unreadable.
    case lost
}
