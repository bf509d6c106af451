/// The order of strings by the bytes of their UTF-8, in which a prefix comes first.
enum BytewiseOrder {
    /// Returns a negative number, 0 or a positive number if the left text comes before, is equal to or comes after the
    /// right one.
    static func compare(_ left: String, _ right: String) -> Int {
        let (leftSpan, rightSpan) = (left.utf8.span, right.utf8.span)
        for index in 0..<min(leftSpan.count, rightSpan.count) where leftSpan[index] != rightSpan[index] {
            return leftSpan[index] < rightSpan[index] ? -1 : 1
        }
        return leftSpan.count - rightSpan.count
    }
}
