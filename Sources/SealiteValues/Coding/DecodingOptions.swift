/// The state shared by all decoders of one value.
struct DecodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONDecoder.Conversion?
}
