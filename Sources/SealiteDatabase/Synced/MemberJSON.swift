internal import SealiteJSON

/// One member at the top of a body in JSON text.
package enum MemberJSON {
    /// Takes a member out of a body.
    ///
    /// - Returns: the body without it, in JSON text, and an object of it alone, in JSONB; nil where the body hasn't got it.
    /// - Throws: `invalidJSON`.
    package static func take(_ name: String, from json: [UInt8]) throws -> (rest: [UInt8], member: [UInt8])? {
        guard contains(Array(name.utf8), in: json) else { return nil }
        let body = try JSONParser.parse(json)
        guard JSONBEdit.find([.member(name)], in: body) != nil,
            let rest = JSONBEdit.remove(at: [.member(name)], in: body)
        else { return nil }
        var member = body
        if let root = JSONBElement(root: rest.span), let object = DictionaryObject(root, in: rest, database: nil) {
            for key in object.keys where key != name {
                member = JSONBEdit.remove(at: [.member(key)], in: member) ?? member
            }
        }
        return (try JSONSerializer.text(of: rest), member)
    }

    /// Takes a member out of a stored body; nil where the body hasn't got it.
    package static func removed(_ name: String, from body: [UInt8]) -> [UInt8]? {
        guard contains(Array(name.utf8), in: body), JSONBEdit.find([.member(name)], in: body) != nil else { return nil }
        return JSONBEdit.remove(at: [.member(name)], in: body)
    }

    /// Adds a member, whose value is JSON text, to a body that hasn't got it.
    package static func adding(_ name: String, _ value: String, to json: [UInt8]) -> [UInt8] {
        guard let end = json.lastIndex(of: UInt8(ascii: "}")) else { return json }
        let isEmpty = json[..<end].last { $0 > 0x20 } == UInt8(ascii: "{")
        return Array(json[..<end]) + Array("\(isEmpty ? "" : ",")\"\(name)\":\(value)}".utf8)
    }

    private static func contains(_ word: [UInt8], in bytes: [UInt8]) -> Bool {
        guard let first = word.first, bytes.count >= word.count else { return false }
        for start in 0...(bytes.count - word.count) where bytes[start] == first {
            if bytes[start..<start + word.count].elementsEqual(word) { return true }
        }
        return false
    }
}
