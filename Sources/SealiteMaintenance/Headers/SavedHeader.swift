import CSQLite
internal import SealiteFile

/// A header that is to be written to a file, from a header backup or from one of the file's own copies, and its keys.
struct SavedHeader {
    let content: HeaderContent
    let ring: KeyRing

    /// Throws `refused` if the header belongs to another database, or was saved before the last key rotation.
    func requireFits(_ present: HeaderCopies, path: String) throws(SealedFileError) {
        for image in present.whole {
            guard image.content.databaseID == content.databaseID, image.content.pageSize == content.pageSize else {
                throw SealedFileError(
                    .refused,
                    "the saved header isn't of \"\(path)\": its database ID is \(content.databaseID.hex) and its page size "
                        + "\(content.pageSize) bytes, those of the file are \(image.content.databaseID.hex) and "
                        + "\(image.content.pageSize)")
            }
            if image.content.epoch.epoch > content.epoch.epoch { throw .headerBeforeRotation(path) }
        }
    }

    /// Throws `refused` unless the header's keys open at least one page of the file, and also if a page names a later
    /// epoch, because the keys were probably rotated after the header was saved.
    func requireOpens(_ file: BaseFile, path: String) throws(SealedFileError) {
        let pages = PageCodec(ring: ring, use: .main)
        let size = try SealedFileError.mapping { () throws(VFSFailure) in try file.size().get() }
        let count = (size - Int64(HeaderLayout.regionByteCount)) / Int64(pages.pageSize)
        var opensSome = false
        for number in 0..<UInt32(clamping: max(0, count)) {
            let opening = try SealedFileError.mapping { () throws(VFSFailure) -> PageCodec.Opening in
                let code = unsafe file.read(into: pages.scratch, pages.pageSize, at: pages.offset(of: number + 1))
                // An unreadable sector proves nothing about the header.
                guard code == SQLITE_OK else { return .notAuthentic }
                return try unsafe pages.open(pages.scratch, number: number + 1)
            }
            switch opening {
            case .opened: opensSome = true
            case .unknownEpoch(let epoch) where (1...1024).contains(epoch &- content.epoch.epoch):
                throw .pageOfLaterEpoch(number + 1, path)
            case .unknownEpoch, .notAuthentic: break
            }
        }
        guard opensSome else {
            throw SealedFileError(
                .refused, "the header opens none of the \(max(0, count)) pages of \"\(path)\"",
                hint: "the header belongs to another database, or all pages of this one are damaged")
        }
    }
}
