/// The kind of a request: the value of its `Profile` property.
package enum Profile: String, Sendable, Hashable, CaseIterable {
    case getCollections
    case getCheckpoint
    case setCheckpoint
    case subChanges
    case unsubChanges
    case changes
    case proposeChanges
    case rev
    case norev
    case getAttachment
    case proveAttachment
    /// Sent by some clients to test the connection.
    case ping = "PING"

    /// A Boolean value that says whether the request belongs to one collection, and so has the `collection` property on
    /// a connection that began with `getCollections`.
    package var isOfCollection: Bool { self != .getCollections && self != .ping }
}

extension BLIPProperties {
    /// Creates the properties of a request: its profile and, unless it is nil, the index of its collection.
    init(_ profile: Profile, collection: Int?) {
        assert(profile.isOfCollection || collection == nil, "the request belongs to no collection")
        assert(collection ?? 0 >= 0 && collection ?? 0 < Int(Int32.max), "a reader takes no other index")
        self.init(minimumCapacity: 8)
        self["Profile"] = profile.rawValue
        if let collection { self["collection"] = String(collection) }
    }

    /// Returns the Boolean value of a property: true for `true`, `yes` (in any case) and integers other than 0; false
    /// for any other text, and if the property is absent.
    func flag(_ name: String) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false", "no": false
        case "true", "yes": true
        case let text?: (Int64(text) ?? 0) != 0
        }
    }

    /// The property `deltas` of a reply: true if its sender accepts deltas in place of bodies; nil if the property is
    /// absent.
    var takesDeltas: Bool? {
        get { self["deltas"] == nil ? nil : flag("deltas") }
        set { self["deltas"] = newValue.map { $0 ? "true" : "false" } }
    }

    /// Returns the value of a property that is an integer of at least 0; nil if it is absent or invalid.
    func number(_ name: String) -> Int? {
        self[name].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns the value of a property that must be present and not empty.
    ///
    /// - Throws: `missingProperty`.
    func required(_ name: String) throws(MessageError) -> String {
        guard let value = self[name], !value.isEmpty else {
            throw MessageError(.missingProperty, "the message's property '\(name)' is missing or empty")
        }
        return value
    }

    /// Returns the document ID in the property `id`.
    ///
    /// - Throws: `missingProperty`, `tooLarge`.
    func documentID(limits: MessageLimits) throws(MessageError) -> String {
        let id = try required("id")
        guard id.utf8.count <= limits.documentIDByteCount else {
            throw MessageError(.tooLarge, "a document ID has more than \(limits.documentIDByteCount) bytes")
        }
        return id
    }

    /// Returns the index of the collection in the property `collection`; nil if the property is absent.
    ///
    /// - Throws: `badCollection` if it isn't an index.
    func collection() throws(MessageError) -> Int? {
        guard let text = self["collection"] else { return nil }
        guard let index = number("collection"), index < Int(Int32.max) else {
            throw MessageError(
                .badCollection, "the property 'collection' isn't an index: its value has \(text.utf8.count) bytes")
        }
        return index
    }

    /// Sets a property to the text `true` if `value` is true; otherwise does nothing.
    mutating func set(_ name: String, if value: Bool) {
        if value { self[name] = "true" }
    }
}
