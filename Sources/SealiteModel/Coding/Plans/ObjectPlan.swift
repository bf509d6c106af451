internal import SealiteJSON
internal import SealiteValues

/// The plan for decoding and encoding objects of one type, derived once and used for every value.
final class ObjectPlan: Sendable {
    /// The type's name in schemas.
    let name: String
    /// The members in the order in which the type requests them, the primary key included.
    let members: [MemberPlan]
    /// The index in ``members`` of the primary key, whose value is the document's ID; nil if there is none.
    let keyIndex: Int?
    /// The name under which the type requests the document's ID; nil if it doesn't request the ID.
    let keyName: String?
    private let places: [ExactText: Int]

    init(name: String, members: [MemberPlan], keyIndex: Int? = nil) {
        (self.name, self.members, self.keyIndex) = (name, members, keyIndex)
        keyName = keyIndex.map { members[$0].name }
        places = Dictionary(
            members.enumerated().map { (ExactText($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the index of the member with a name, compared by bytes; it is mostly `expected` or shortly after it. Nil
    /// if there is none.
    @inline(__always)
    func place(of name: String, expected: Int) -> Int? {
        var place = expected
        while place < members.count {
            if ExactText.areSame(members[place].name, name) { return place }
            place += 1
        }
        return places[ExactText(name)]
    }
}
