internal import CSecret
internal import FoundationEssentials

/// The session bus: connecting, and the few calls to it, and to properties, that libsecret doesn't offer.
enum SessionBus {
    static let name = "org.freedesktop.DBus"
    static let path = "/org/freedesktop/DBus"

    /// Returns the connection of this process to its session bus.
    ///
    /// libsecret and all other GLib code of the process use the same connection. By default GLib ends the process with
    /// SIGTERM if the bus goes away; a library must not do that, so this behaviour is switched off.
    static func connect(_ limit: CallLimit) throws(CredentialError) -> GObjectReference {
        let (pointer, error) = unsafe withGError {
            unsafe g_bus_get_sync(G_BUS_TYPE_SESSION, limit.cancellable.pointer, $0)
        }
        guard let connection = unsafe GObjectReference(consuming: pointer) else {
            throw SecretServiceFailure(error).sessionBusError(limit)
        }
        let isClosed = unsafe connection.withPointer { pointer in
            unsafe g_dbus_connection_set_exit_on_close(OpaquePointer(pointer), 0)
            return unsafe g_dbus_connection_is_closed(OpaquePointer(pointer)) != 0
        }
        guard !isClosed else {
            throw CredentialError(
                .noSessionBus, "the session bus closed the connection of this process",
                hint: "start the program again when the session bus is back")
        }
        return connection
    }

    /// Returns the unique name of the owner of a bus name; nil if it has no owner.
    static func owner(
        of busName: String, _ connection: OpaquePointer, _ limit: CallLimit
    ) throws(CredentialError) -> String? {
        do throws(CredentialError) {
            return try unsafe call(connection, name, path, name, "GetNameOwner", [busName], limit).content.flatMapText()
        } catch {
            guard error.code == .noProvider else { throw error }
            return nil
        }
    }

    /// Calls a D-Bus method with texts as its arguments, and returns the reply. The call never starts the program that
    /// provides the method.
    static func call(
        _ connection: OpaquePointer, _ destination: String, _ path: String, _ interface: String, _ method: String,
        _ arguments: [String], _ limit: CallLimit
    ) throws(CredentialError) -> Variant {
        let texts: [OpaquePointer?] = unsafe arguments.map { unsafe g_variant_new_string($0) }
        return try unsafe call(connection, destination, path, interface, method, texts, limit)
    }

    /// Calls a D-Bus method with an array of object paths, at least one, as its argument, and returns the reply.
    static func call(
        _ connection: OpaquePointer, _ destination: String, _ path: String, _ interface: String, _ method: String,
        paths: [String], _ limit: CallLimit
    ) throws(CredentialError) -> Variant {
        var elements: [OpaquePointer?] = unsafe paths.map { unsafe g_variant_new_object_path($0) }
        assert(!paths.isEmpty, "GLib takes the type of the array from its first element")
        let array = unsafe g_variant_new_array(nil, &elements, gsize(elements.count))
        return try unsafe call(connection, destination, path, interface, method, [array], limit)
    }

    private static func call(
        _ connection: OpaquePointer, _ destination: String, _ path: String, _ interface: String, _ method: String,
        _ arguments: [OpaquePointer?], _ limit: CallLimit
    ) throws(CredentialError) -> Variant {
        var arguments = unsafe arguments
        // The call takes ownership of the tuple, and the tuple of its elements.
        let tuple = unsafe g_variant_new_tuple(&arguments, gsize(arguments.count))
        let (reply, error) = unsafe withGError {
            unsafe g_dbus_connection_call_sync(
                connection, destination, path, interface, method, tuple, nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1,
                limit.cancellable.pointer, $0)
        }
        guard let reply = unsafe Variant(consuming: reply) else {
            throw SecretServiceFailure(error).credentialError(before: "\(method) was answered", limit)
        }
        return reply
    }

    /// Returns the name of the process with this process id, as the kernel reports it; nil if it can't be read.
    static func processName(_ number: UInt32) -> String? {
        guard let data = try? Data(contentsOf: URL(filePath: "/proc/\(number)/comm")) else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
