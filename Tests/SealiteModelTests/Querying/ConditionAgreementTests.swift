import Foundation
import SealiteDatabase
@testable import SealiteModel
import SealiteTestSupport
import SealiteValues
import Testing

/// Random objects, and what Swift itself says of them.
@Suite("conditions over random objects")
struct ConditionAgreementTests {
    private typealias Case = (condition: Condition<Resident>, text: String?, test: @Sendable (Resident) -> Bool)

    private static func random(_ id: Int, _ generator: inout SeededRandom) -> Resident {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
        func maybe<T>(_ value: T) -> T? { number(0..<3) == 0 ? nil : value }
        func word() -> String { ["", "a", "ab", "b%", "A_b", "é", "ba"][number(0..<7)] }
        var one = Resident(id: id, name: word(), age: number(0..<5))
        (one.nick, one.isLocked) = (maybe(word()), maybe(number(0..<2) == 0))
        one.born = maybe(Date(timeIntervalSince1970: Double(number(-3..<3)) * 1e9))
        one.wealth = maybe(Decimal128(number(-20..<20)))
        one.mood = number(0..<2) == 0 ? .calm : .glad
        one.rank = maybe(number(0..<2) == 0 ? .low : .high)
        one.tags = (0..<number(0..<3)).map { _ in word() }
        one.marks = Set((0..<number(0..<3)).map { _ in number(0..<4) })
        one.phones = (0..<number(0..<3)).map { _ in
            .init(number: word(), kinds: (0..<number(0..<2)).map { _ in word() })
        }
        one.home = maybe(.init(city: word(), floor: maybe(number(0..<3)), owner: maybe(Reference(id: number(0..<3)))))
        one.friend = maybe(Reference(id: number(0..<3)))
        one.friends = (0..<number(0..<3)).map { _ in Reference(id: number(0..<3)) }
        one.note = [.null, 1, "a", [1, 2]][number(0..<4)]
        one.rating = Double(number(0..<4)) / 2
        return one
    }

    private static let simple: [Case] = [
        (\.age == 2, "age = 2", { $0.age == 2 }), (\.age != 2, "age != 2", { $0.age != 2 }),
        (\.age < 2, "age < 2", { $0.age < 2 }), (\.age >= 3, "age >= 3", { $0.age >= 3 }),
        (\.name > "a", "name > 'a'", { $0.name.utf8.lexicographicallyPrecedes("a".utf8) == false && $0.name != "a" }),
        (\.nick == "a", "nick = 'a'", { $0.nick == "a" }), (\.nick != "a", "nick IS NOT 'a'", { $0.nick != "a" }),
        (\.nick == nil, "nick IS NOT VALUED", { $0.nick == nil }),
        (\.isLocked == true, "`locked state` = TRUE", { $0.isLocked == true }),
        (\.isLocked != true, "`locked state` IS NOT TRUE", { $0.isLocked != true }),
        (\.born > Date(timeIntervalSince1970: 0), nil, { $0.born.map { $0.timeIntervalSince1970 > 0 } ?? false }),
        (\.born == Date(timeIntervalSince1970: 1e9), nil, { $0.born == Date(timeIntervalSince1970: 1e9) }),
        (\.wealth < Decimal128(5), "TONUMBER(wealth.`$numberDecimal`) < 5", { ($0.wealth?.doubleValue ?? 9) < 5 }),
        (\.mood == .glad, "mood = 'glad'", { $0.mood == .glad }), (\.rank == .low, "`rank` = 3", { $0.rank == .low }),
        (\.rank != .low, "`rank` IS NOT 3", { $0.rank != .low }), (\.rank == nil, nil, { $0.rank == nil }),
        (\.home == nil, "home IS NOT VALUED", { $0.home == nil }),
        (\.home?.city == "ab", "home.city = 'ab'", { $0.home?.city == "ab" }),
        (\.home?.floor != 1, "home.floor IS NOT 1", { $0.home?.floor != 1 }),
        (\.home!.owner == Reference(id: 1), "home.owner = 1", { $0.home?.owner == Reference(id: 1) }),
        (\.friend == Reference(id: 2), "friend = 2", { $0.friend == Reference(id: 2) }),
        (.contains(\.friends, Reference(id: 2)), "2 IN friends", { $0.friends.contains(Reference(id: 2)) }),
        (\.note == .null, "note IS NOT VALUED", { $0.note == .null }), (\.note == 1, "note = 1", { $0.note == 1 }),
        (\.note != "a", "note IS NOT 'a'", { $0.note != "a" }),
        (\.rating <= 0.5, "rating <= 0.5", { $0.rating <= 0.5 }),
        (.like(\.name, "%b"), "name LIKE '%b'", { $0.name.hasSuffix("b") }),
        (.hasPrefix(\.nick, "A_"), #"nick LIKE 'A\_%'"#, { $0.nick?.hasPrefix("A_") ?? false }),
        (.hasSuffix(\.name, "%"), #"name LIKE '%\%'"#, { $0.name.hasSuffix("%") }),
        (.contains(\.nick, "b"), "CONTAINS(nick, 'b')", { $0.nick?.contains("b") ?? false }),
        (.between(\.age, 1, 3), "age BETWEEN 1 AND 3", { (1...3).contains($0.age) }),
        (.in(\.age, [1, 4]), "age IN (1, 4)", { [1, 4].contains($0.age) }),
        (.in(\.nick, ["a", nil]), "nick = 'a' OR nick IS NOT VALUED", { $0.nick == "a" || $0.nick == nil }),
        (.contains(\.tags, "ab"), "'ab' IN tags", { $0.tags.contains("ab") }),
        (.contains(\.marks, 2), "ARRAY_CONTAINS(marks, 2)", { $0.marks.contains(2) }),
        (\.tags == [], "tags = []", { $0.tags.isEmpty }),
        (.any(\.marks, \.self > 1), "ANY m IN marks SATISFIES m > 1 END", { $0.marks.contains { $0 > 1 } }),
        (.all(\.tags, \.self == "a"), "EVERY t IN tags SATISFIES t = 'a' END", { $0.tags.allSatisfy { $0 == "a" } }),
        (
            .any(\.phones, \.number == "a" && .any(\.kinds, \.self != "a")), nil,
            { $0.phones.contains { $0.number == "a" && $0.kinds.contains { $0 != "a" } } }
        ),
        (\.id >= 40, nil, { $0.id >= 40 }), (\.id == 7, "META().id = '$n:7'", { $0.id == 7 }),
    ]

    @Test(
        "random conditions find what Swift finds, their negations the rest, and the text form the same",
        arguments: TestSeed.seeds(2))
    func agreement(seed: UInt64) async throws {
        var generator = SeededRandom(seed: seed)
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        let residents = (0..<60).map { Self.random($0, &generator) }
        try await store.write { transaction in for one in residents { try transaction.save(one) } }
        func check(_ found: Case) throws {
            let expected = Set(residents.filter(found.test).map(\.id))
            let all = store.objects(Resident.self)
            #expect(try Set(all.where(found.condition).all().map(\.id)) == expected, "\(found.condition.text)")
            let rest = try Set(all.where(!found.condition).all().map(\.id))
            #expect(rest == Set(residents.map(\.id)).subtracting(expected), "\(found.condition.text)")
            guard let text = found.text else { return }
            #expect(try Set(all.where(text).all().map(\.id)) == expected, "\(text)")
        }
        for found in Self.simple { try check(found) }
        func random(_ depth: Int) -> Case {
            let simple = Self.simple.randomElement(using: &generator) ?? Self.simple[0]
            guard depth > 0 else { return (simple.condition, nil, simple.test) }
            let (left, right) = (random(depth - 1), random(depth - 1))
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: return (left.condition && right.condition, nil, { left.test($0) && right.test($0) })
            case 1: return (left.condition || right.condition, nil, { left.test($0) || right.test($0) })
            default: return (!left.condition, nil, { !left.test($0) })
            }
        }
        for _ in 0..<40 { try check(random(3)) }
    }
}
