#include "CSecretLoading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../CSecret/shim.h"

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static void *library;
static char failure[256];
static atomic_bool is_silent;

// GLib's functions are found in libsecret's own dependencies.
static void *find(const char *name) { return library ? dlsym(library, name) : NULL; }

static GLogWriterOutput discard(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
    (void)level, (void)fields, (void)count, (void)data;
    return G_LOG_WRITER_HANDLED;
}

static void load(void) {
    // Never closed: GLib can't be unloaded.
    library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_NODELETE);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s", reason ? reason : "libsecret-1.so.0 can't be loaded");
        return;
    }
    if (!atomic_load(&is_silent)) return;
    __typeof__(&g_log_set_writer_func) set_writer = find("g_log_set_writer_func");
    if (set_writer) set_writer(discard, NULL, NULL);
}

const char *sealite_load_secret(void) {
    pthread_once(&loading, load);
    return library ? NULL : failure;
}

void sealite_silence_glib(void) { atomic_store(&is_silent, true); }

// Returns a function of libsecret or GLib; ends the process, as the dynamic linker would at its start, if there is none.
static void *function(const char *name) {
    const char *reason = sealite_load_secret();
    void *found = find(name);
    if (found) return found;
    if (!reason) reason = dlerror();
    fprintf(stderr, "error while loading shared libraries: %s\n", reason ? reason : name);
    _exit(127);
}

// Defines a function that finds its own at the first call. Its type is checked against the declaration in the library's header.
#define CALL(result, name, parameters, arguments)                                                                      \
    result(name) parameters {                                                                                          \
        static _Atomic(__typeof__(&(name))) known;                                                                     \
        __typeof__(&(name)) call = atomic_load_explicit(&known, memory_order_relaxed);                                 \
        if (!call) atomic_store_explicit(&known, call = function(#name), memory_order_relaxed);                        \
        return call arguments;                                                                                         \
    }

CALL(GDBusConnection *, g_bus_get_sync, (GBusType bus_type, GCancellable *cancellable, GError **error), (bus_type,
    cancellable, error))
CALL(void, g_cancellable_cancel, (GCancellable *cancellable), (cancellable))
CALL(GCancellable *, g_cancellable_new, (void), ())
CALL(GVariant *, g_dbus_connection_call_sync, (GDBusConnection *connection, const gchar *bus_name, const gchar
    *object_path, const gchar *interface_name, const gchar *method_name, GVariant *parameters, const GVariantType
    *reply_type, GDBusCallFlags flags, gint timeout_msec, GCancellable *cancellable, GError **error), (connection,
    bus_name, object_path, interface_name, method_name, parameters, reply_type, flags, timeout_msec, cancellable,
    error))
CALL(gboolean, g_dbus_connection_is_closed, (GDBusConnection *connection), (connection))
CALL(void, g_dbus_connection_set_exit_on_close, (GDBusConnection *connection, gboolean exit_on_close), (connection,
    exit_on_close))
CALL(GQuark, g_dbus_error_quark, (void), ())
CALL(const gchar *, g_dbus_proxy_get_object_path, (GDBusProxy *proxy), (proxy))
CALL(void, g_error_free, (GError *error), (error))
CALL(void, g_free, (gpointer mem), (mem))
CALL(gboolean, g_hash_table_insert, (GHashTable *hash_table, gpointer key, gpointer value), (hash_table, key, value))
CALL(void, g_hash_table_iter_init, (GHashTableIter *iter, GHashTable *hash_table), (iter, hash_table))
CALL(gboolean, g_hash_table_iter_next, (GHashTableIter *iter, gpointer *key, gpointer *value), (iter, key, value))
CALL(GHashTable *, g_hash_table_new_full, (GHashFunc hash_func, GEqualFunc key_equal_func, GDestroyNotify
    key_destroy_func, GDestroyNotify value_destroy_func), (hash_func, key_equal_func, key_destroy_func,
    value_destroy_func))
CALL(void, g_hash_table_unref, (GHashTable *hash_table), (hash_table))
CALL(GQuark, g_io_error_quark, (void), ())
CALL(GList *, g_list_append, (GList *list, gpointer data), (list, data))
CALL(void, g_list_free, (GList *list), (list))
CALL(void, g_list_free_full, (GList *list, GDestroyNotify free_func), (list, free_func))
CALL(gboolean, g_main_context_iteration, (GMainContext *context, gboolean may_block), (context, may_block))
CALL(GMainContext *, g_main_context_new, (void), ())
CALL(void, g_main_context_pop_thread_default, (GMainContext *context), (context))
CALL(void, g_main_context_push_thread_default, (GMainContext *context), (context))
CALL(void, g_main_context_unref, (GMainContext *context), (context))
CALL(gpointer, g_object_ref, (gpointer object), (object))
CALL(void, g_object_unref, (gpointer object), (object))
CALL(const gchar *, g_quark_to_string, (GQuark quark), (quark))
CALL(gboolean, g_str_equal, (gconstpointer v1, gconstpointer v2), (v1, v2))
CALL(guint, g_str_hash, (gconstpointer v), (v))
CALL(gchar *, g_strdup, (const gchar *str), (str))
CALL(void, g_type_query, (GType type, GTypeQuery *query), (type, query))
CALL(GType, g_type_register_static, (GType parent_type, const gchar *type_name, const GTypeInfo *info, GTypeFlags
    flags), (parent_type, type_name, info, flags))
CALL(gboolean, g_variant_get_boolean, (GVariant *value), (value))
CALL(GVariant *, g_variant_get_child_value, (GVariant *value, gsize index_), (value, index_))
CALL(const gchar *, g_variant_get_string, (GVariant *value, gsize *length), (value, length))
CALL(const gchar *, g_variant_get_type_string, (GVariant *value), (value))
CALL(guint32, g_variant_get_uint32, (GVariant *value), (value))
CALL(GVariant *, g_variant_get_variant, (GVariant *value), (value))
CALL(gsize, g_variant_n_children, (GVariant *value), (value))
CALL(GVariant *, g_variant_new_array, (const GVariantType *child_type, GVariant *const *children, gsize n_children),
    (child_type, children, n_children))
CALL(GVariant *, g_variant_new_object_path, (const gchar *object_path), (object_path))
CALL(GVariant *, g_variant_new_string, (const gchar *string), (string))
CALL(GVariant *, g_variant_new_tuple, (GVariant *const *children, gsize n_children), (children, n_children))
CALL(void, g_variant_unref, (GVariant *value), (value))
CALL(GQuark, secret_error_get_quark, (void), ())
CALL(gboolean, secret_item_delete_sync, (SecretItem *self, GCancellable *cancellable, GError **error), (self,
    cancellable, error))
CALL(GHashTable *, secret_item_get_attributes, (SecretItem *self), (self))
CALL(guint64, secret_item_get_created, (SecretItem *self), (self))
CALL(gchar *, secret_item_get_label, (SecretItem *self), (self))
CALL(gboolean, secret_item_get_locked, (SecretItem *self), (self))
CALL(guint64, secret_item_get_modified, (SecretItem *self), (self))
CALL(SecretValue *, secret_item_get_secret, (SecretItem *self), (self))
CALL(gboolean, secret_item_load_secret_sync, (SecretItem *self, GCancellable *cancellable, GError **error), (self,
    cancellable, error))
CALL(gboolean, secret_item_set_label_sync, (SecretItem *self, const gchar *label, GCancellable *cancellable, GError
    **error), (self, label, cancellable, error))
CALL(gboolean, secret_item_set_secret_sync, (SecretItem *self, SecretValue *value, GCancellable *cancellable, GError
    **error), (self, value, cancellable, error))
CALL(SecretSchema *, secret_schema_newv, (const gchar *name, SecretSchemaFlags flags, GHashTable
    *attribute_names_and_types), (name, flags, attribute_names_and_types))
CALL(GList *, secret_service_get_collections, (SecretService *self), (self))
CALL(const gchar *, secret_service_get_session_algorithms, (SecretService *self), (self))
CALL(GType, secret_service_get_type, (void), ())
CALL(gint, secret_service_lock_sync, (SecretService *service, GList *objects, GCancellable *cancellable, GList
    **locked, GError **error), (service, objects, cancellable, locked, error))
CALL(SecretService *, secret_service_open_sync, (GType service_gtype, const gchar *service_bus_name,
    SecretServiceFlags flags, GCancellable *cancellable, GError **error), (service_gtype, service_bus_name, flags,
    cancellable, error))
CALL(GList *, secret_service_search_sync, (SecretService *service, const SecretSchema *schema, GHashTable
    *attributes, SecretSearchFlags flags, GCancellable *cancellable, GError **error), (service, schema, attributes,
    flags, cancellable, error))
CALL(gboolean, secret_service_store_sync, (SecretService *service, const SecretSchema *schema, GHashTable
    *attributes, const gchar *collection, const gchar *label, SecretValue *value, GCancellable *cancellable, GError
    **error), (service, schema, attributes, collection, label, value, cancellable, error))
CALL(gint, secret_service_unlock_sync, (SecretService *service, GList *objects, GCancellable *cancellable, GList
    **unlocked, GError **error), (service, objects, cancellable, unlocked, error))
CALL(const gchar *, secret_value_get, (SecretValue *value, gsize *length), (value, length))
CALL(SecretValue *, secret_value_new, (const gchar *secret, gssize length, const gchar *content_type), (secret,
    length, content_type))
CALL(void, secret_value_unref, (gpointer value), (value))
