/// The first page of an empty SQLite database. https://sqlite.org/fileformat2.html#the_database_header
package enum PageOneImage {
    /// Returns the first 100 bytes of page 1. Besides SQLite's constants, only the fields that follow from the sealed
    /// file's header are set: the page size and the 48 reserved bytes.
    static func head(pageSize: Int) -> [UInt8] {
        assert(SealedPageSize.isValid(pageSize))
        var bytes = [UInt8](repeating: 0, count: 100)
        bytes.write(HeaderLayout.plainMagic, at: 0)
        bytes[16] = pageSize == 65536 ? 0 : UInt8(pageSize >> 8)
        bytes[17] = pageSize == 65536 ? 1 : 0
        bytes[18] = 1
        bytes[19] = 1
        bytes[20] = UInt8(HeaderLayout.reservedByteCount)
        bytes[21] = 64
        bytes[22] = 32
        bytes[23] = 32
        return bytes
    }

    /// Returns an empty database of one page: no tables, schema format not yet chosen.
    static func emptyDatabase(pageSize: Int, autoVacuum: AutoVacuum) -> [UInt8] {
        var page = head(pageSize: pageSize) + [UInt8](repeating: 0, count: pageSize - 100)
        page[27] = 1  // file change counter
        page[31] = 1  // size in pages
        page[95] = 1  // version-valid-for
        page[55] = autoVacuum == .none ? 0 : 1
        page[67] = autoVacuum == .incremental ? 1 : 0
        page[100] = 13  // an empty table b-tree leaf
        assert(page.count == pageSize)
        let usable = pageSize - HeaderLayout.reservedByteCount
        page[105] = UInt8(usable >> 8 & 0xFF)
        page[106] = UInt8(usable & 0xFF)
        return page
    }
}

/// The auto-vacuum mode: how a database returns free pages. https://sqlite.org/pragma.html#pragma_auto_vacuum
public enum AutoVacuum: Int, Sendable {
    /// Free pages stay in the file until VACUUM.
    case none = 0
    /// Each commit truncates free pages.
    case full = 1
    /// `PRAGMA incremental_vacuum` truncates free pages.
    case incremental = 2
}
