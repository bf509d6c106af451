import CSQLite
import Glibc
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

/// The pages of a scan that a second thread opens. ``ReadAheadTests`` has the scans themselves.
@Suite("opening ahead")
struct OpeningAheadTests {
    private let folder: Folder
    private let database: SealedDatabase
    private let handle: BaseHandle
    private let codec: PageCodec
    private let pageCount: UInt32
    /// The number of pages of a window.
    private let count = UInt32(PageWindow.byteCount / 1024)

    init() throws {
        folder = try Folder()
        let connection = try folder.create(mode: "DELETE", rows: 3000).connect()
        pageCount = UInt32(try connection.integer("PRAGMA page_count"))
        database = try folder.open()
        handle = try BaseHandle(database.path, vfs: "unix", flags: SQLITE_OPEN_READONLY)
        codec = PageCodec(ring: database.ring, use: .main)
    }

    /// Fills the next window with pages of the file.
    private func filled(_ opening: OpeningAhead, from number: UInt32) throws -> PageWindow {
        let window = try #require(opening.nextWindow(after: nil))
        window.empty()
        let code = unsafe handle.file.read(
            into: window.images, PageWindow.byteCount, at: codec.offset(of: number))
        try #require(code == SQLITE_OK)
        opening.filled(window, number, count)
        return window
    }

    /// Returns the plaintext of a page as the scan's thread opens it.
    private func text(_ number: UInt32) throws -> [UInt8] {
        var page = try handle.file.bytes(1024, at: codec.offset(of: number)).get()
        return try unsafe page.withUnsafeMutableBytes { bytes in
            let start = try unsafe #require(bytes.baseAddress)
            guard case .opened = unsafe try codec.open(start, number: number) else { return [] }
            return unsafe Array(bytes)
        }
    }

    private func openedText(_ number: UInt32, in window: PageWindow) -> [UInt8]? {
        guard case .opened(let text) = window.page(number) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: 1024))
    }

    @Test("the second thread opens every page of a window, and ends when nothing is left to do")
    func opens() async throws {
        let opening = try #require(OpeningAhead(pageSize: 1024))
        let window = try filled(opening, from: 2)
        opening.submit(window, ring: database.ring)
        await eventually("the last page is opened") { openedText(count + 1, in: window) != nil }
        for number in 2...count + 1 { #expect(try openedText(number, in: window) == text(number)) }
        await eventually("the thread ends") { !opening.hasThread }
        // Another window starts another thread.
        let next = try filled(opening, from: 100)
        opening.submit(next, ring: database.ring)
        await eventually("the page is opened") { openedText(100, in: next) != nil }
        opening.close()
        await eventually("the thread ends") { !opening.hasThread }
    }

    @Test("a scan reads the same with and without a second thread")
    func sameScan() throws {
        for usesSecondThread in [true, false] {
            let ahead = ReadAhead(usesSecondThread: usesSecondThread)
            var aheadCount = 0
            for number in 2...pageCount where number % 97 != 0 {
                guard let page = ahead.page(number, of: codec, from: handle.file) else { continue }
                aheadCount += 1
                switch page {
                case .opened(let opened):
                    #expect(try unsafe Array(UnsafeRawBufferPointer(start: opened, count: 1024)) == text(number))
                case .sealed(let sealed):
                    let image = try handle.file.bytes(1024, at: codec.offset(of: number)).get()
                    #expect(unsafe Array(UnsafeRawBufferPointer(start: sealed, count: 1024)) == image)
                }
            }
            #expect(aheadCount > Int(pageCount) * 9 / 10)
            ahead.forget()
        }
    }

    @Test("pages that the scan forgets while the second thread opens them are never found again, and are wiped")
    func forgotten() throws {
        let opening = try #require(OpeningAhead(pageSize: 1024))
        let window = try filled(opening, from: 2)
        window.offer()
        #expect(window.begin())
        opening.discard()
        #expect(opening.window(with: 2) == nil)
        #expect(!window.takeBack())
        window.open(PageCodec(ring: database.ring, use: .main))
        #expect(opening.window(with: 2) == nil && window.takeBack() && window.isWiped)

        let another = try filled(opening, from: 2)
        another.offer()
        #expect(another.begin())
        another.open(codec)
        #expect(try openedText(2, in: another) == text(2) && !another.isWiped)
        opening.discard()
        #expect(opening.window(with: 2) == nil && another.isWiped)
    }

    @Test("pages that are forgotten while the second thread may begin them are wiped")
    func forgottenAtOnce() throws {
        let opening = try #require(OpeningAhead(pageSize: 1024))
        for round in 0..<500 {
            let window = try filled(opening, from: 2)
            opening.submit(window, ring: database.ring)
            for _ in 0..<round % 50 { sched_yield() }
            opening.discard()
            #expect(opening.window(with: 2) == nil)
            eventuallyBlocking("the window is given back") { window.takeBack() }
            #expect(window.isWiped)
        }
        opening.close()
    }

    @Test("the second thread leaves a window that the scan has reached")
    func claimed() throws {
        let opening = try #require(OpeningAhead(pageSize: 1024))
        let window = try filled(opening, from: 2)
        window.offer()
        window.claim()
        #expect(!window.begin())
        window.offer()
        #expect(window.begin())
        window.claim()
        window.open(codec)
        #expect(openedText(2, in: window) == nil && window.takeBack() && opening.window(with: 2) === window)
    }

    @Test("a page that isn't authentic ends a window, and stays sealed")
    func damaged() throws {
        let opening = try #require(OpeningAhead(pageSize: 1024))
        let window = try filled(opening, from: 2)
        unsafe window.images.storeBytes(of: 1, toByteOffset: 5 * 1024 + 7, as: UInt64.self)
        window.offer()
        #expect(window.begin())
        window.open(codec)
        #expect(openedText(6, in: window) != nil && openedText(7, in: window) == nil && window.takeBack())
    }

    @Test("wiped keys open nothing")
    func wipedKeys() throws {
        let opening = try #require(OpeningAhead(pageSize: 1024))
        let window = try filled(opening, from: 2)
        window.offer()
        database.lock()
        #expect(window.begin())
        window.open(codec)
        #expect(openedText(2, in: window) == nil && window.takeBack())
    }

    @Test("windows are filled in turn, and none that the scan still needs")
    func turns() throws {
        let opening = try #require(OpeningAhead(pageSize: 1024))
        var windows: [PageWindow] = []
        for step in 0..<UInt32(4) { windows.append(try filled(opening, from: 2 + step * count)) }
        #expect(Set(windows.map(ObjectIdentifier.init)).count == 4)
        #expect(opening.nextWindow(after: windows[0]) == nil)
        #expect(opening.nextWindow(after: windows[1]) === windows[0])
        #expect(opening.window(with: 2 + 2 * count) === windows[2] && opening.newest === windows[3])
        windows[0].offer()
        #expect(windows[0].begin())
        #expect(opening.nextWindow(after: windows[1]) == nil)
    }
}
