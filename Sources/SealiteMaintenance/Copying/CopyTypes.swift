/// A handler called regularly with the progress of a copy. Returning false cancels the copy, which then leaves no file
/// behind.
public typealias CopyProgressHandler = (CopyProgress) -> Bool
