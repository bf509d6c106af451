internal import SealiteJSON

/// Finds, removes and adds one top-level member of a document body.
package enum MemberJSON {
    /// Splits a body in JSON text into one member and the rest.
    ///
    /// - Returns: the body without the member, in JSON text, and an object with the member alone, in JSONB; nil if the
    ///   body has no such member.
    /// - Throws: `invalidJSON`.
    package static func take(_ name: String, from json: [UInt8]) throws -> (rest: [UInt8], member: [UInt8])? {
        // The text may have the name with escapes.
        guard json.contains(UInt8(ascii: "\\")) || contains(Array(name.utf8), in: json) else { return nil }
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

    /// Returns a stored body, in JSONB, without one member; nil if the body has no such member.
    package static func removed(_ name: String, from body: [UInt8]) -> [UInt8]? {
        guard contains(Array(name.utf8), in: body), JSONBEdit.find([.member(name)], in: body) != nil else { return nil }
        return JSONBEdit.remove(at: [.member(name)], in: body)
    }

    /// Returns a body in JSON text with an added member, whose value is JSON text, too. The body must not have the
    /// member.
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
