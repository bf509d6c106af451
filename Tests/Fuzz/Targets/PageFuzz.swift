import CSQLite

@testable import SealiteFile
@testable import SealiteMaintenance

/// One page: the byte behind the mode is its number, the next four its pageOneSerial word, the rest the page.
final class PageFuzz: FuzzTarget {
    private let stage: FuzzStage
    private let content: FuzzStage.Reading
    private let sealedPages: [[UInt8]]
    private let plainPages: [[UInt8]]

    init() throws {
        stage = try FuzzStage("page")
        let bytes = (stage.files[""] ?? []).dropFirst(HeaderLayout.regionByteCount)
        let size = stage.pageSize
        sealedPages = stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { Array(bytes[$0..<$0 + size]) }
        let plain = sealedPages.enumerated().compactMap { [stage] in
            stage.open($1, .main, number: UInt32($0 + 1))
        }
        guard plain.count == sealedPages.count else { throw BrokenProperty("the committed database doesn't open") }
        plainPages = plain.map { $0.dropLast(PageTrailer.byteCount) + [UInt8](repeating: 0, count: 48) }
        stage.lay(stage.files[""] ?? [], as: "")
        content = stage.read()
        guard case .content = content else { throw BrokenProperty("the committed database doesn't read: \(content)") }
    }

    /// Returns the pages of the committed database as seeds.
    func seeds() -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for (index, page) in sealedPages.enumerated() {
            let place = [UInt8(index)] + page.suffix(4)
            seeds.append([0] + place + page)
            seeds.append([FuzzMode.sealed.rawValue] + place + plainPages[index].dropLast(PageTrailer.byteCount))
        }
        return seeds
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard input.count >= 6 else { return }
        let mode = FuzzMode(rawValue: input[0])
        let index = Int(input[1]) % sealedPages.count
        let number = UInt32(index + 1)
        var body = Array(input.dropFirst(6).prefix(stage.pageSize))
        var file = stage.files[""] ?? []
        let start = HeaderLayout.regionByteCount + index * stage.pageSize
        if mode.contains(.sealed) {
            let textByteCount = stage.pageSize - PageTrailer.byteCount
            body = Array(body.prefix(textByteCount)) + [UInt8](repeating: 0, count: max(0, textByteCount - body.count))
            try walk(body, index)
            body = stage.seal(body, .main, number: number, pageOneSerial: number == 1 ? input.readUInt32(at: 2) : 0)
        } else if body.count < stage.pageSize {
            file.removeLast(file.count - start)  // torn off in the midst of the page
        }
        file = Array(file.prefix(start)) + body + file.dropFirst(start + stage.pageSize)
        if body.count == stage.pageSize { try stage.requireSameBytes(body, .main, number: number) }
        stage.lay(file, as: "")
        let reading = stage.read()
        stage.lay(file, as: "")
        let report = try? stage.database.verify()
        guard !mode.contains(.sealed) else { return }
        if case .content = reading {
            try BrokenProperty.unless(reading == content, "page \(number) was altered and other content was read")
        }
        let isAsItWas = body == sealedPages[index]
        let isHole = body.allSatisfy { $0 == 0 }
        try BrokenProperty.unless(isAsItWas || isHole || report?.isSound != true, "altered page \(number) is sound")
    }

    /// Salvage reads pages without SQLite.
    private func walk(_ text: [UInt8], _ changed: Int) throws(BrokenProperty) {
        let page = text + [UInt8](repeating: 0, count: PageTrailer.byteCount)
        let pages = SalvagePages(pageSize: stage.pageSize, pageCount: UInt32(plainPages.count)) { [plainPages] number in
            .text(Int(number) == changed + 1 ? page : plainPages[Int(number) - 1])
        }
        guard let map = try? PageMap(pages, progress: { (_, _) throws(SealedFileError) in }) else { return }
        let settings = SalvagedSettings(pages)
        for isTable in [true, false] {
            var walk = TreeWalk(pages: pages, map: map)
            for root in 1...UInt32(plainPages.count) {
                try? walk.walk(root: root, isTable: isTable) { (event) throws(SealedFileError) in
                    guard case .row(_, _, let payload) = event, let record = RowRecord(payload) else { return }
                    for index in record.fields.indices {
                        _ = (record.text(index, settings.encoding), record.integer(index))
                    }
                    _ = SchemaEntry(record, settings.encoding, pageCount: pages.pageCount)
                }
            }
        }
        _ = try? FreePages(pageCount: pages.pageCount, usable: pages.usable).leaves(
            among: PageRanges([1...pages.pageCount])
        ) {
            (number) throws(VFSFailure) in pages.text(number)
        }
    }
}
