/// The settings of a `BSONDecoder`, which the decoders of all nested values share.
struct DecodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONDecoder.Conversion?
}
