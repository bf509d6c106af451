import Glibc
import SealiteFile

/// The functions that create and open the destination of a copy, sealed or plain, under its temporary name.
struct CopyFiles {
    /// The VFS on which those of the destination depend; see `NewFile.Writer`.
    let vfs: VFSChoice
    /// Returns the URI with which VACUUM INTO creates the file at a path.
    let uri: (String) throws(SealedFileError) -> String
    /// Opens the file that was created at a path.
    let open: (String) throws(SealedFileError) -> RawConnection
    /// The URI by which a row-by-row copy attaches the source, used for a plain copy without reserved bytes; nil if
    /// VACUUM INTO makes the copy.
    var rowSourceURI: String?
}
