internal import SealiteCrypto
internal import SealiteJSON
internal import SealiteValues

/// The modules that generated code may import.
enum SwiftModule: String, CaseIterable {
    case foundation = "Foundation"
    case database = "SealiteDatabase"
    case model = "SealiteModel"
    case values = "SealiteValues"
}
