import CSecret
import Testing

@testable import SealiteCredentials

/// Each reference that isn't given back would keep a connection, an item or a secret for good.
@Suite("references to C objects")
struct GLibTests {
    private func references(to object: UnsafeMutablePointer<GCancellable>) -> UInt32 {
        unsafe object.pointee.parent_instance.ref_count
    }

    private func take(
        _ object: UnsafeMutablePointer<GCancellable>, fails: Bool
    ) throws(CredentialError) -> GObjectReference {
        unsafe g_object_ref(object)
        guard let reference = unsafe GObjectReference(consuming: object) else { throw CredentialError(.damaged, "") }
        guard !fails else { throw CredentialError(.damaged, "") }
        return reference
    }

    @Test("a reference to an object is given back when its value ends, however it ends")
    func object() throws {
        guard let object = unsafe g_cancellable_new() else { throw Unexpected() }
        do {
            let reference = try unsafe take(object, fails: false)
            #expect(unsafe references(to: object) == 2)
            let second = unsafe GObjectReference(retaining: reference.pointer)
            #expect(unsafe references(to: object) == 3)
            #expect(unsafe second.pointer == UnsafeMutableRawPointer(object))
        }
        #expect(unsafe references(to: object) == 1)
        _ = try? unsafe take(object, fails: true)
        #expect(unsafe references(to: object) == 1)
        unsafe g_object_unref(object)
    }

    @Test("a list gives back its elements")
    func list() throws {
        guard let object = unsafe g_cancellable_new() else { throw Unexpected() }
        unsafe g_object_ref(object)
        do {
            let list = unsafe GObjectList(consuming: g_list_append(nil, object))
            #expect(unsafe list.withElements { unsafe $0.count } == 1)
        }
        #expect(unsafe references(to: object) == 1)
        unsafe g_object_unref(object)
    }

    @Test("a table frees its strings, and keeps them until then")
    func table() {
        let attributes = ["service": "https://h/db", "account": "", "kind": "é"]
        #expect(AttributeTable(attributes).dictionary == attributes)
    }

    @Test("a value of D-Bus is given back, and of its parts only what has the right type is taken")
    func variant() throws {
        let inner = unsafe g_variant_ref_sink(g_variant_new_string("text"))
        let tuple = unsafe g_variant_new_tuple([g_variant_new_variant(inner)], 1)
        guard let value = unsafe Variant(consuming: g_variant_ref_sink(tuple)) else { throw Unexpected() }
        #expect(value.text == nil)
        #expect(value.content.flatMapText() == "text")
        #expect(value.boolean == nil)
        #expect(value.number == nil)
        #expect(value.paths == nil)
        unsafe g_variant_unref(inner)
    }
}
