#include "CSecretLoading.h"

#include <pthread.h>
#include <stdio.h>

#include "../CSecret/shim.h"

static pthread_once_t making = PTHREAD_ONCE_INIT;
static GType type;

static void ignore_signal(GDBusProxy *proxy, const gchar *sender, const gchar *name, GVariant *parameters) {
    (void)proxy, (void)sender, (void)name, (void)parameters;
}

static void ignore_change(GDBusProxy *proxy, GVariant *changed, const gchar *const *invalidated) {
    (void)proxy, (void)changed, (void)invalidated;
}

static void fill_class(gpointer class, gpointer data) {
    (void)data;
    GDBusProxyClass *proxy = class;
    proxy->g_signal = ignore_signal;
    proxy->g_properties_changed = ignore_change;
}

static void make(void) {
    GTypeQuery parent;
    g_type_query(secret_service_get_type(), &parent);
    GTypeInfo info = {
        .class_size = (guint16)parent.class_size,
        .class_init = fill_class,
        .instance_size = (guint16)parent.instance_size,
    };
    // A program may contain this code twice, such as in its own executable and in the extension.
    char name[64];
    snprintf(name, sizeof name, "SealiteSecretService%p", (void *)&type);
    type = g_type_register_static(parent.type, name, &info, 0);
}

GType sealite_secret_service_type(void) {
    pthread_once(&making, make);
    return type;
}
