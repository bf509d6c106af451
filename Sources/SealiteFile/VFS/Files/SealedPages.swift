import CSQLite
import SealiteCrypto

/// The keys of one open database file, and the buffer its pages are sealed in.
@safe package final class SealedPages {
    package let ring: KeyRing
    package let codec: PageCodec
    package let pageSize: Int
    /// One page; the owner of the file object uses it within a call.
    package let scratch: UnsafeMutableRawPointer
    /// Used for the database file only.
    package let ahead: ReadAhead

    package init(ring: KeyRing, use: KeyUse) {
        self.ring = ring
        pageSize = ring.pageSize
        codec = PageCodec(ring: ring, use: use)
        ahead = ReadAhead(pageSize: ring.pageSize)
        unsafe scratch = .allocate(byteCount: ring.pageSize, alignment: 64)
        unsafe scratch.initializeMemory(as: UInt8.self, repeating: 0, count: ring.pageSize)
    }

    deinit {
        unsafe memset(scratch, 0, pageSize)
        unsafe scratch.deallocate()
    }

    package var textByteCount: Int { pageSize - PageTrailer.byteCount }

    package func offset(of number: UInt32) -> Int64 {
        Int64(HeaderLayout.regionByteCount) + Int64(number &- 1) * Int64(pageSize)
    }

    /// The page that holds SQLite's lock bytes logically: never written. https://sqlite.org/fileformat2.html#the_lock_byte_page
    package var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }

    /// Seals a page into `scratch`.
    @inline(__always)
    package func seal(_ page: UnsafeRawPointer, number: UInt32, spare: UInt32) throws(VFSFailure) {
        try sealing { () throws(SealedFileError) in
            unsafe try codec.seal(
                page, textByteCount: textByteCount, as: SealBinding(number: number, spare: spare),
                bindingByteCount: PageCodec.bindingByteCount, into: scratch)
        }
    }

    /// Opens a page where it lies and clears its last 48 bytes. Where it isn't authentic, it is all zeros afterwards.
    @inline(__always)
    package func open(_ page: UnsafeMutableRawPointer, number: UInt32) throws(VFSFailure) -> PageCodec.Opening {
        unsafe try open(page, number: number, into: page)
    }

    /// As `open`, to another place.
    @inline(__always)
    package func open(
        _ image: UnsafeRawPointer, number: UInt32, into page: UnsafeMutableRawPointer
    ) throws(VFSFailure) -> PageCodec.Opening {
        let opening = try sealing { () throws(SealedFileError) in
            unsafe try codec.open(
                image, textByteCount: textByteCount, number: number,
                bindingByteCount: PageCodec.bindingByteCount, into: page)
        }
        unsafe memset(page + textByteCount, 0, PageTrailer.byteCount)
        return opening
    }
}
