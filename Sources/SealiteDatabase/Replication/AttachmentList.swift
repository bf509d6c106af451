internal import SealiteJSON

/// The list `_attachments` by which Sync Gateway recognizes the blobs of a body.
enum AttachmentList {
    private static let attachments = ReservedNames.attachments

    /// Returns the JSON of a body with its blobs listed in `_attachments`; nil if the body has neither blobs with
    /// digests nor attachments. `generation` is that of the revision, 0 for a version of a version vector.
    static func json(of body: [UInt8], generation: UInt32) throws -> [UInt8]? {
        guard let root = JSONBElement(root: body.span), var object = DictionaryObject(root, in: body, database: nil)
        else { return nil }
        var listed = DictionaryObject()
        for (name, entry) in object.value(forKey: attachments)?.dictionary?.entries ?? [] {
            var entry = entry
            entry["stub"] = true
            listed[name] = entry
        }
        list(.dictionary(object), at: "", generation, &listed)
        guard listed.count > 0 else { return nil }
        object[attachments] = .dictionary(listed)
        var writer = JSONBWriter(capacity: body.count * 2)
        try writer.object(object)
        return try JSONSerializer.text(of: writer.bytes)
    }

    private static func list(_ value: Value, at path: String, _ generation: UInt32, _ listed: inout DictionaryObject) {
        switch value {
        case .blob(let blob):
            var entry = blob.properties
            guard entry.string(forKey: "digest") != nil else { return }
            entry.removeValue(forKey: "@type")
            // A version has no generation.
            if generation > 0 { entry["revpos"] = Value(generation) }
            entry["stub"] = true
            listed["blob_" + path] = .dictionary(entry)
        case .dictionary(let object):
            for (key, member) in object.entries where !(path.isEmpty && key == attachments) {
                let name = key.replacing("~", with: "~0").replacing("/", with: "~1")
                list(member, at: "\(path)/\(name)", generation, &listed)
            }
        case .array(let array):
            for (index, item) in array.enumerated() { list(item, at: "\(path)/\(index)", generation, &listed) }
        default: break
        }
    }
}
