/// The settings of a `BSONEncoder`, which the encoders of all nested values share.
struct EncodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONEncoder.Conversion?
}
