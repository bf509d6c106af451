internal import FoundationEssentials

/// A coding key for indexes of arrays, for `super`, and for members of any name.
struct IndexKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}
