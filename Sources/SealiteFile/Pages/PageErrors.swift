internal import SealiteCrypto

extension SealedFileError {
    package static func damagedPage(_ page: UInt32, pageSize: Int, cause: String) -> SealedFileError {
        let offset = Int64(HeaderLayout.regionByteCount) + Int64(page - 1) * Int64(pageSize)
        return SealedFileError(
            .damagedPage, "page \(page) \(cause) (\(pageSize) bytes at offset \(offset))",
            hint: Remedy.listDamagedPages.hint, page: page)
    }

    static func missingPageOne(pageSize: Int) -> SealedFileError {
        damagedPage(1, pageSize: pageSize, cause: "is missing: the file ends after its header")
    }

    static func unknownEpoch(_ epoch: UInt32) -> SealedFileError {
        SealedFileError(.damagedPage, "the header has no page key of epoch \(epoch)")
    }
}
