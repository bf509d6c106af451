// The candidates for the stored form of a document's body: how each is written from JSON text and how one value is
// found in it. Prototypes for measurement; the library's own code is in Sources/SealiteDatabase/Body.

/// Writes SQLite's JSONB from compact, valid JSON text without string escapes (what the generator makes).
func jsonb(fromJSON json: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(json.count)
    var position = 0
    func header(_ type: UInt8, _ size: Int) {
        if size < 12 {
            output.append(UInt8(size) << 4 | type)
        } else if size < 256 {
            output.append(12 << 4 | type)
            output.append(UInt8(size))
        } else {
            output.append(13 << 4 | type)
            output.append(UInt8(size >> 8))
            output.append(UInt8(size & 255))
        }
    }
    func string() {
        position += 1
        let start = position
        while json[position] != 0x22 { position += 1 }
        header(7, position - start)
        output.append(contentsOf: json[start..<position])
        position += 1
    }
    func container(_ type: UInt8, _ close: UInt8) {
        position += 1
        let start = output.count
        output.append(contentsOf: [0, 0, 0])
        while json[position] != close {
            if json[position] == 0x2C || json[position] == 0x3A { position += 1 }
            value()
        }
        position += 1
        let size = output.count - start - 3
        output[start] = 13 << 4 | type
        output[start + 1] = UInt8(size >> 8)
        output[start + 2] = UInt8(size & 255)
    }
    func value() {
        switch json[position] {
        case 0x22: string()
        case 0x7B: container(12, 0x7D)
        case 0x5B: container(11, 0x5D)
        default:
            let start = position
            var isFloat = false
            while ![0x2C, 0x7D, 0x5D].contains(json[position]) {
                if json[position] == 0x2E || json[position] == 0x65 { isFloat = true }
                position += 1
            }
            header(isFloat ? 5 : 3, position - start)
            output.append(contentsOf: json[start..<position])
        }
    }
    value()
    return output
}

typealias Bytes = UnsafeBufferPointer<UInt8>

/// The header of one JSONB element: its type, where its payload starts and ends.
@inline(__always)
func element(_ bytes: Bytes, _ at: Int) -> (type: UInt8, start: Int, end: Int)? {
    guard at < bytes.count else { return nil }
    let first = bytes[at]
    let nibble = Int(first >> 4)
    var start = at + 1
    var size = nibble
    if nibble > 11 {
        let width = 1 << (nibble - 12)
        guard start + width <= bytes.count else { return nil }
        size = 0
        for index in 0..<width { size = size << 8 | Int(bytes[start + index]) }
        start += width
    }
    guard size <= bytes.count - start else { return nil }
    return (first & 15, start, start + size)
}

/// Finds `key` in the JSONB object whose payload is `start..<end`: the offset of its value.
@inline(__always)
func jsonbMember(_ bytes: Bytes, _ start: Int, _ end: Int, _ key: Bytes) -> Int? {
    var position = start
    while position < end {
        guard let name = element(bytes, position), let value = element(bytes, name.end) else { return nil }
        if name.end - name.start == key.count, equal(bytes, name.start, key) { return name.end }
        position = value.end
    }
    return nil
}

@inline(__always)
func equal(_ bytes: Bytes, _ start: Int, _ key: Bytes) -> Bool {
    for index in 0..<key.count where bytes[start + index] != key[index] { return false }
    return true
}

/// Skips one JSON value in text: the position after it.
@inline(__always)
func skip(_ bytes: Bytes, _ start: Int) -> Int {
    var position = start
    var depth = 0
    while position < bytes.count {
        switch bytes[position] {
        case 0x22:
            position += 1
            while position < bytes.count, bytes[position] != 0x22 { position += bytes[position] == 0x5C ? 2 : 1 }
            position += 1
            if depth == 0 { return position }
        case 0x7B, 0x5B:
            depth += 1
            position += 1
        case 0x7D, 0x5D:
            if depth == 0 { return position }
            depth -= 1
            position += 1
            if depth == 0 { return position }
        case 0x2C:
            if depth == 0 { return position }
            position += 1
        default:
            position += 1
        }
    }
    return position
}

/// Finds `key` in the JSON object text that starts at `start`: the offset of its value.
@inline(__always)
func textMember(_ bytes: Bytes, _ start: Int, _ key: Bytes) -> Int? {
    var position = start + 1
    while position < bytes.count, bytes[position] == 0x22 {
        let nameStart = position + 1
        var nameEnd = nameStart
        while nameEnd < bytes.count, bytes[nameEnd] != 0x22 { nameEnd += bytes[nameEnd] == 0x5C ? 2 : 1 }
        let valueStart = nameEnd + 2
        if nameEnd - nameStart == key.count, equal(bytes, nameStart, key) { return valueStart }
        position = skip(bytes, valueStart) + 1
    }
    return nil
}
