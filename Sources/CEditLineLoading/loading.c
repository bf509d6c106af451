#include "CEditLineLoading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "../CEditLine/shim.h"

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static void *library;
static char failure[256];

static void load(void) {
    library = dlopen("libedit.so.2", RTLD_NOW | RTLD_NODELETE);
    if (library) return;
    const char *reason = dlerror();
    snprintf(failure, sizeof failure, "%s", reason ? reason : "libedit.so.2 can't be loaded");
}

const char *sealite_load_edit_line(void) {
    pthread_once(&loading, load);
    return library ? NULL : failure;
}

// Returns a function of libedit; ends the process, as the dynamic linker would at its start, if there is none.
static void *find(const char *name) {
    const char *reason = sealite_load_edit_line();
    void *found = library ? dlsym(library, name) : NULL;
    if (found) return found;
    if (!reason) reason = dlerror();
    fprintf(stderr, "error while loading shared libraries: %s\n", reason ? reason : name);
    _exit(127);
}

#define FIND(name) ((__typeof__(&(name)))find(#name))

EditLine *(el_init)(const char *name, FILE *input, FILE *output, FILE *errors) {
    return FIND(el_init)(name, input, output, errors);
}

void(el_end)(EditLine *editor) { FIND(el_end)(editor); }

const char *(el_gets)(EditLine *editor, int *count) { return FIND(el_gets)(editor, count); }

const LineInfo *(el_line)(EditLine *editor) { return FIND(el_line)(editor); }

int(el_insertstr)(EditLine *editor, const char *text) { return FIND(el_insertstr)(editor, text); }

void(el_deletestr)(EditLine *editor, int count) { FIND(el_deletestr)(editor, count); }

void(el_resize)(EditLine *editor) { FIND(el_resize)(editor); }

History *(history_init)(void) { return FIND(history_init)(); }

void(history_end)(History *lines) { FIND(history_end)(lines); }

void sealite_el_set_context(EditLine *editor, void *context) {
    FIND(el_set)(editor, EL_CLIENTDATA, context);
}

void *sealite_el_context(EditLine *editor) {
    void *context = NULL;
    FIND(el_get)(editor, EL_CLIENTDATA, &context);
    return context;
}

int sealite_el_set_prompt(EditLine *editor, char *(*prompt)(EditLine *)) {
    return FIND(el_set)(editor, EL_PROMPT, prompt);
}

int sealite_el_set_keymap(EditLine *editor, const char *name) {
    return FIND(el_set)(editor, EL_EDITOR, name);
}

int sealite_el_set_reader(EditLine *editor, sealite_el_reader reader) {
    return FIND(el_wset)(editor, EL_GETCFN, (int (*)(EditLine *, wchar_t *))(void *)reader);
}

int sealite_el_add_function(
    EditLine *editor, const char *name, const char *help, unsigned char (*function)(EditLine *, int)) {
    return FIND(el_set)(editor, EL_ADDFN, name, help, function);
}

int sealite_el_bind(EditLine *editor, const char *key, const char *function) {
    return FIND(el_set)(editor, EL_BIND, key, function, NULL);
}

int sealite_el_unbind(EditLine *editor, const char *key) {
    return FIND(el_set)(editor, EL_BIND, "-r", key, NULL);
}

int sealite_el_edits(EditLine *editor) {
    int edits = 0;
    return FIND(el_get)(editor, EL_EDITMODE, &edits) == 0 && edits;
}

int sealite_el_prepare_terminal(EditLine *editor, int for_editing) {
    return FIND(el_set)(editor, EL_PREP_TERM, for_editing);
}

int sealite_el_refresh(EditLine *editor) { return FIND(el_set)(editor, EL_REFRESH); }

int sealite_el_set_history(EditLine *editor, History *lines) {
    return FIND(el_set)(editor, EL_HIST, FIND(history), lines);
}

int sealite_history_set_size(History *lines, int count) {
    HistEvent event;
    return FIND(history)(lines, &event, H_SETSIZE, count);
}

int sealite_history_enter(History *lines, const char *line) {
    HistEvent event;
    return FIND(history)(lines, &event, H_ENTER, line);
}

int sealite_history_clear(History *lines) {
    HistEvent event;
    return FIND(history)(lines, &event, H_CLEAR);
}
