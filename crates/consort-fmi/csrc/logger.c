/* The log callbacks of FMI 2 and FMI 3. FMI 2's is variadic, which stable Rust cannot define.
 *
 * FMUs call it with whatever pointers they have, with texts that were formatted already and contain a
 * `%`, and with arguments that do not fit the format. So texts are copied as far as memory can be read,
 * and the format is walked here, conversion by conversion. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

/* In src/binding/context.rs; the texts end in NUL and are ours. `name` may be null. */
void consort_fmi_receive(void *environment, const char *name, int status, const char *category, const char *text);

enum { TEXT_MAX = 64 * 1024, NAME_MAX_BYTES = 1024, SPEC_MAX = 32, WIDTH_MAX = 4096, PAGE = 4096 };

/* Reads memory that may not be there; how many bytes it got. */
static size_t read_memory(char *to, const char *from, size_t count) {
    /* A watcher of the writes of this process sees its own writes, not those of the kernel. */
    memset(to, 0, count);
    struct iovec here = {to, count}, there = {(void *)from, count};
    ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got < 0 && errno != EFAULT) {
        /* The kernel does not let us look: believe the pointer. */
        size_t length = strnlen(from, count);
        memcpy(to, from, length);
        return count;
    }
    return got < 0 ? 0 : (size_t)got;
}

/* Copies a text as far as it can be read and fits; `to` ends in NUL. How long it is. */
static size_t copy_text(char *to, size_t room, const char *from) {
    size_t length = 0;
    while (from != NULL && length + 1 < room) {
        size_t rest = PAGE - ((uintptr_t)(from + length) % PAGE);
        size_t wanted = rest < room - 1 - length ? rest : room - 1 - length;
        size_t got = read_memory(to + length, from + length, wanted);
        size_t found = strnlen(to + length, got);
        length += found;
        if (found < wanted) break;
    }
    to[length] = '\0';
    return length;
}

/* What is written so far. */
struct text {
    char *bytes;
    size_t length;
    size_t room;
};

static void add(struct text *text, const char *bytes, size_t count) {
    size_t rest = text->room - 1 - text->length;
    size_t length = count < rest ? count : rest;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

/* Says at its end that a text is longer than this. */
static void mark_cut(char *bytes, size_t length) {
    static const char CUT[] = "... (cut)";
    if (length + 1 == TEXT_MAX) memcpy(bytes + TEXT_MAX - sizeof CUT, CUT, sizeof CUT);
}

/* One conversion of a format: `%`, flags, width, precision, size, letter. */
struct conversion {
    const char *end;
    char flags[8];
    int width, precision;
    char size; /* 0, or one of h H(hh) l q(ll) L j z t */
    char letter;
};

static int number(const char **at, va_list *arguments) {
    int value = 0;
    if (**at == '*') {
        ++*at;
        value = va_arg(*arguments, int);
    } else {
        for (; '0' <= **at && **at <= '9'; ++*at) value = value < WIDTH_MAX ? 10 * value + (**at - '0') : value;
    }
    return value < -WIDTH_MAX ? -WIDTH_MAX : WIDTH_MAX < value ? WIDTH_MAX : value;
}

static void read_size(const char **at, struct conversion *it) {
    if (strchr("hlqLjzt", **at) == NULL || **at == '\0') return;
    it->size = *(*at)++;
    if (it->size == 'h' && **at == 'h') it->size = 'H', ++*at;
    if (it->size == 'l' && **at == 'l') it->size = 'q', ++*at;
}

/* Whether `at`, behind a `%`, begins a conversion. A blank as a flag is taken for text: messages such as
 * "100% done" come ready made, and that flag hardly ever. */
static int read_conversion(const char *at, struct conversion *it, va_list *arguments) {
    memset(it, 0, sizeof *it);
    it->precision = -1;
    for (size_t count = 0; *at != '\0' && strchr("-+#0'", *at) != NULL && count + 1 < sizeof it->flags; ++count) {
        it->flags[count] = *at++;
    }
    /* Arguments are taken only once it is clear that this is a conversion. */
    const char *ahead = at;
    while (*ahead != '\0' && strchr("0123456789*.hlqLjzt", *ahead) != NULL) ++ahead;
    if (*ahead == '\0' || strchr("diouxXeEfFgGaAcspn%", *ahead) == NULL) return 0;
    it->width = number(&at, arguments);
    if (*at == '.') {
        ++at;
        it->precision = number(&at, arguments);
    }
    read_size(&at, it);
    it->letter = *at;
    it->end = at + 1;
    return at == ahead;
}

/* The conversion for `snprintf`, with the size `size`; width and precision are its first arguments. */
static void spell(char *spec, const struct conversion *it, const char *size) {
    snprintf(spec, SPEC_MAX, "%%%s*.*%s%c", it->flags, size, it->letter);
}

#define PUT(size, value) (spell(spec, it, size), snprintf(place, room, spec, it->width, it->precision, value))

static intmax_t signed_argument(const struct conversion *it, va_list *arguments) {
    switch (it->size) {
    case 'H': return (signed char)va_arg(*arguments, int);
    case 'h': return (short)va_arg(*arguments, int);
    case 'l': return va_arg(*arguments, long);
    case 'q': return va_arg(*arguments, long long);
    case 'j': return va_arg(*arguments, intmax_t);
    case 'z': return va_arg(*arguments, ssize_t);
    case 't': return va_arg(*arguments, ptrdiff_t);
    default: return va_arg(*arguments, int);
    }
}

static uintmax_t unsigned_argument(const struct conversion *it, va_list *arguments) {
    switch (it->size) {
    case 'H': return (unsigned char)va_arg(*arguments, int);
    case 'h': return (unsigned short)va_arg(*arguments, int);
    case 'l': return va_arg(*arguments, unsigned long);
    case 'q': return va_arg(*arguments, unsigned long long);
    case 'j': return va_arg(*arguments, uintmax_t);
    case 'z': return va_arg(*arguments, size_t);
    case 't': return (uintmax_t)va_arg(*arguments, ptrdiff_t);
    default: return va_arg(*arguments, unsigned);
    }
}

/* A text argument: nothing is read beyond its precision. */
static int put_text(char *place, size_t room, struct conversion *it, const char *argument) {
    char spec[SPEC_MAX];
    char *copy = malloc(TEXT_MAX);
    if (copy == NULL) return 0;
    size_t limit = 0 <= it->precision && it->precision < TEXT_MAX - 1 ? (size_t)it->precision + 1 : TEXT_MAX;
    size_t length = copy_text(copy, limit, argument);
    if (argument == NULL || (uintptr_t)argument < PAGE) {
        strcpy(copy, argument == NULL ? "(null)" : "(no text)");
    } else if (length == 0) {
        char byte;
        if (1 < limit && read_memory(&byte, argument, 1) == 0) strcpy(copy, "(no text)");
    }
    it->precision = -1;
    int written = PUT("", copy);
    free(copy);
    return written;
}

static int put_real(char *place, size_t room, const struct conversion *it, va_list *arguments) {
    char spec[SPEC_MAX];
    if (it->size == 'L') return PUT("L", va_arg(*arguments, long double));
    return PUT("", va_arg(*arguments, double));
}

/* Writes one argument; how long it is, though there may be no room for all of it. */
static int put(char *place, size_t room, struct conversion *it, va_list *arguments) {
    char spec[SPEC_MAX];
    switch (it->letter) {
    case 'd': case 'i': return PUT("j", signed_argument(it, arguments));
    case 'o': case 'u': case 'x': case 'X': return PUT("j", unsigned_argument(it, arguments));
    case 'c': return snprintf(place, room, "%*c", it->width, va_arg(*arguments, int));
    case 'p': return snprintf(place, room, "%*p", it->width, va_arg(*arguments, void *));
    case 's':
        if (it->size != 'l') return put_text(place, room, it, va_arg(*arguments, const char *));
        (void)va_arg(*arguments, const wchar_t *);
        return snprintf(place, room, "(wide text)");
    case 'n': /* Nothing is ever written to where an FMU says. */
        (void)va_arg(*arguments, void *);
        return 0;
    case '%': return snprintf(place, room, "%%");
    default: return put_real(place, room, it, arguments);
    }
}

static void format(struct text *text, const char *at, va_list *arguments) {
    while (*at != '\0') {
        size_t plain = strcspn(at, "%");
        add(text, at, plain);
        at += plain;
        if (*at == '\0') return;
        struct conversion it;
        if (!read_conversion(at + 1, &it, arguments)) {
            add(text, at++, 1);
            continue;
        }
        size_t room = text->room - text->length;
        int written = put(text->bytes + text->length, room, &it, arguments);
        text->length += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
        text->bytes[text->length] = '\0';
        at = it.end;
    }
}

void consort_fmi2_logger(void *environment, const char *instance_name, int status, const char *category,
                         const char *message, ...) {
    char own_name[NAME_MAX_BYTES], own_category[NAME_MAX_BYTES];
    copy_text(own_name, sizeof own_name, instance_name);
    copy_text(own_category, sizeof own_category, category);
    char *copy = malloc(2 * TEXT_MAX);
    if (copy == NULL) {
        consort_fmi_receive(environment, own_name, status, own_category, "(a message for which there is no memory)");
        return;
    }
    mark_cut(copy, copy_text(copy, TEXT_MAX, message));
    struct text text = {copy + TEXT_MAX, 0, TEXT_MAX};
    text.bytes[0] = '\0';
    va_list arguments;
    va_start(arguments, message);
    format(&text, copy, &arguments);
    va_end(arguments);
    mark_cut(text.bytes, text.length);
    consort_fmi_receive(environment, own_name, status, own_category, text.bytes);
    free(copy);
}

void consort_fmi3_logger(void *environment, int status, const char *category, const char *message) {
    char own_category[NAME_MAX_BYTES];
    copy_text(own_category, sizeof own_category, category);
    char *copy = malloc(TEXT_MAX);
    if (copy != NULL) mark_cut(copy, copy_text(copy, TEXT_MAX, message));
    const char *text = copy != NULL ? copy : "(a message for which there is no memory)";
    consort_fmi_receive(environment, NULL, status, own_category, text);
    free(copy);
}
