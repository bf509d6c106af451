internal import SealiteJSON

/// A member's name, or an item's index, whose text is created on demand.
enum MemberKey: CodingKey {
    case name(String)
    case index(Int)

    init(_ name: String) { self = .name(name) }
    init(_ index: Int) { self = .index(index) }
    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): String(index)
        }
    }

    var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}
