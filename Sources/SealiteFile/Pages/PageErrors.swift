internal import SealiteBase

extension SealedFileError {
    package static func damagedPage(_ page: UInt32, pageSize: Int, cause: String) -> SealedFileError {
        assert(page > 0, "pages are counted from 1")
        let offset = Int64(HeaderLayout.regionByteCount) + Int64(page - 1) * Int64(pageSize)
        return SealedFileError(
            .damagedPage, "page \(page) \(cause) (\(pageSize) bytes at offset \(offset))",
            hint: FileRemedy.listDamagedPages.hint, page: page)
    }

    static func missingPageOne(pageSize: Int) -> SealedFileError {
        damagedPage(1, pageSize: pageSize, cause: "is missing: the file ends after its header")
    }

    /// Returns the error for a page that can't be encrypted, because the header lost its newest page key meanwhile.
    static func noKeyToSeal(_ epoch: UInt32) -> SealedFileError {
        SealedFileError(
            .internalFailure, "a page can't be encrypted: the header no longer has the page key of epoch \(epoch)",
            hint: "open the database again")
    }
}
