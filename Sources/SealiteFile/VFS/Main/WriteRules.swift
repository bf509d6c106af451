import CSQLite
internal import SealiteBase

/// The conditions that a page must meet before it is sealed and written.
enum WriteRules {
    static func check(
        _ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64, pageSize: Int
    ) throws(VFSFailure) {
        guard byteCount == pageSize, offset >= 0, offset % Int64(pageSize) == 0 else {
            throw refused("\(byteCount) bytes at offset \(offset) aren't a page of \(pageSize) bytes")
        }
        guard offset == 0 else { return try unsafe checkReserve(buffer, pageSize, offset) }
        let statedSize =
            unsafe Int(buffer.load(fromByteOffset: 16, as: UInt8.self)) << 8
            | Int(buffer.load(fromByteOffset: 17, as: UInt8.self))
        let reserve = unsafe Int(buffer.load(fromByteOffset: 20, as: UInt8.self))
        guard statedSize == pageSize || (statedSize == 1 && pageSize == 65536) else {
            let stated = statedSize == 1 ? 65536 : statedSize
            throw VFSFailure(
                SQLITE_IOERR_WRITE,
                .refusedWrite(
                    "page 1 states a page size of \(stated) bytes, and the file has pages of \(pageSize)",
                    hint:
                        "give the database that is copied the page size of the sealed one: PRAGMA page_size, then VACUUM"
                ))
        }
        guard reserve >= HeaderLayout.reservedByteCount else {
            throw refused(
                "the database that is copied reserves \(reserve) bytes at the end of each page, and a sealed one needs 48"
                    + " or more (SQLITE_FCNTL_RESERVE_BYTES)")
        }
        try unsafe checkReserve(buffer, pageSize, offset)
    }

    /// Throws if the reserved bytes of a page aren't empty: it comes from elsewhere, as sqlite3_backup copies it from a
    /// plain file, and sealing would overwrite its end.
    private static func checkReserve(
        _ buffer: UnsafeRawPointer, _ pageSize: Int, _ offset: Int64
    ) throws(VFSFailure) {
        guard unsafe reserveIsEmpty(buffer, pageSize) else {
            throw refused(
                "page \(offset / Int64(pageSize) + 1) has content in its last 48 bytes, which a sealed database reserves"
            )
        }
    }

    /// Returns whether the last 48 bytes of a page are zeros, as SQLite leaves its reserved bytes.
    @inline(__always)
    static func reserveIsEmpty(_ page: UnsafeRawPointer, _ pageSize: Int) -> Bool {
        assert(pageSize > HeaderLayout.reservedByteCount)
        let reserve = unsafe page + (pageSize - HeaderLayout.reservedByteCount)
        var bits: UInt64 = 0
        for word in 0..<6 { bits |= unsafe reserve.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) }
        return bits == 0
    }

    private static func refused(_ reason: String) -> VFSFailure {
        VFSFailure(SQLITE_IOERR_WRITE, .refusedWrite(reason))
    }
}

extension SealedFileError {
    /// Returns the error for bytes that can't be sealed. The default hint is that for pages of a plain database.
    static func refusedWrite(_ reason: String, hint: String? = FileRemedy.createSealed.hint) -> SealedFileError {
        SealedFileError(.refused, "the write was refused: \(reason)", hint: hint)
    }
}
