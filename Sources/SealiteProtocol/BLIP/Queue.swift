/// A first-in, first-out queue. Removing the first element takes constant time on average.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        head += 1
        if head * 2 > elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        assert(head <= elements.count)
        return element
    }
}
