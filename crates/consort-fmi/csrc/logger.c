/* The FMI 2 logger is variadic, which stable Rust cannot define: format here, receive there. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Mirrors the head of `Context` in src/binding/context.rs. */
struct context_head {
    void (*receive)(void *environment, int status, const char *category, const char *text);
};

enum { SHORT = 1024 };

void consort_fmi2_logger(void *environment, const char *instance_name, int status, const char *category,
                         const char *message, ...) {
    (void)instance_name; /* the context knows whose it is */
    const struct context_head *head = environment;
    if (head == NULL || message == NULL) {
        return;
    }
    char on_stack[SHORT];
    va_list arguments;
    va_start(arguments, message);
    int length = vsnprintf(on_stack, SHORT, message, arguments);
    va_end(arguments);
    if (length < SHORT) {
        head->receive(environment, status, category, length < 0 ? message : on_stack);
        return;
    }
    char *on_heap = malloc((size_t)length + 1);
    if (on_heap == NULL) {
        head->receive(environment, status, category, on_stack);
        return;
    }
    va_start(arguments, message);
    vsnprintf(on_heap, (size_t)length + 1, message, arguments);
    va_end(arguments);
    head->receive(environment, status, category, on_heap);
    free(on_heap);
}
