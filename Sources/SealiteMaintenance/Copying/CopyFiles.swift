import Glibc
import SealiteFile

/// The functions that create and open a file under a temporary name, sealed or plain.
struct CopyFiles {
    /// Returns the URI with which VACUUM INTO creates the file at a path.
    let uri: (String) throws(SealedFileError) -> String
    /// Opens the file that was created.
    let open: (String) throws(SealedFileError) -> RawConnection
    /// The URI with which a copy without reserved bytes attaches the source; nil for other copies.
    var rowSourceURI: String?
}
