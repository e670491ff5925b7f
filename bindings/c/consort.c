/* See consort.h for what this is, docs/foreign-nodes.md for what travels over the channel. */
#define _POSIX_C_SOURCE 200809L
#ifdef __linux__
#define _GNU_SOURCE
#include <sys/prctl.h>
#endif
#include "consort.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION 1u
#define FRAME_BYTES_MAX (256u << 20)
#define ELEMENTS_MAX (1u << 24)
#define WORDS_MAX 1024

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

typedef struct {
    char *name;
    char causality; /* i, o, p */
    char type;      /* r, w, b, s */
    uint32_t count;
    double *reals;
    int64_t *wholes;
    char **texts;
} entry;

typedef struct {
    unsigned char *bytes;
    size_t count, room;
} bytes_list;

struct consort_node {
    int channel;
    pid_t companion; /* 0: started by another process */
    entry *variables;
    uint32_t count, elements;
    double start, stop;
    void *state;
    size_t state_count;
    int saves_state, owes, ended;
    bytes_list in, out;
    size_t at; /* in `in` */
    char error[512];
};

static char join_error[512];

/* The first mistake stays. */
static void mistake(consort_node *node, const char *format, ...) {
    va_list arguments;
    if (node == NULL || node->error[0] != '\0') return;
    va_start(arguments, format);
    vsnprintf(node->error, sizeof node->error, format, arguments);
    va_end(arguments);
}

static int is_well(const consort_node *node) { return node != NULL && node->error[0] == '\0'; }

static void *claim(consort_node *node, size_t count, size_t size) {
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) mistake(node, "there is no memory for %lu elements", (unsigned long)count);
    return memory;
}

/* ---- what is sent ---- */

static int reserve(consort_node *node, bytes_list *buffer, size_t more) {
    size_t room = buffer->room < 256 ? 256 : buffer->room;
    unsigned char *bytes;
    if (FRAME_BYTES_MAX < more || FRAME_BYTES_MAX - more < buffer->count) {
        mistake(node, "a message would have more than %u bytes", FRAME_BYTES_MAX);
        return 0;
    }
    while (room < buffer->count + more) room *= 2;
    if (room == buffer->room) return 1;
    bytes = realloc(buffer->bytes, room);
    if (bytes == NULL) {
        mistake(node, "there is no memory for a message of %lu bytes", (unsigned long)room);
        return 0;
    }
    buffer->bytes = bytes;
    buffer->room = room;
    return 1;
}

static void add(consort_node *node, const void *bytes, size_t count) {
    if (count == 0 || !reserve(node, &node->out, count)) return;
    memcpy(node->out.bytes + node->out.count, bytes, count);
    node->out.count += count;
}

/* Little-endian wherever this runs. */
static void add_number(consort_node *node, uint64_t value, size_t width) {
    unsigned char bytes[8];
    size_t index;
    for (index = 0; index < width; index++) bytes[index] = (unsigned char)(value >> (8 * index));
    add(node, bytes, width);
}

static void add_real(consort_node *node, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_number(node, bits, 8);
}

static void add_text(consort_node *node, const char *text) {
    size_t length = strlen(text);
    add_number(node, length, 4);
    add(node, text, length);
}

static void add_element(consort_node *node, const entry *variable, uint32_t element) {
    switch (variable->type) {
    case 'r': add_real(node, variable->reals[element]); break;
    case 'w': add_number(node, (uint64_t)variable->wholes[element], 8); break;
    case 'b': add_number(node, variable->wholes[element] != 0, 1); break;
    default: add_text(node, variable->texts[element] == NULL ? "" : variable->texts[element]); break;
    }
}

static void add_values(consort_node *node, char causality) {
    uint32_t index, element;
    for (index = 0; index < node->count; index++) {
        const entry *variable = &node->variables[index];
        if (variable->causality != causality) continue;
        for (element = 0; element < variable->count; element++) add_element(node, variable, element);
    }
}

static void begin(consort_node *node, char kind) {
    node->out.count = 0;
    add_number(node, 0, 4);
    add(node, &kind, 1);
}

static void finish(consort_node *node) {
    size_t sent = 0, length = node->out.count - 4;
    size_t index;
    if (node->out.count < 5) return;
    for (index = 0; index < 4; index++) node->out.bytes[index] = (unsigned char)(length >> (8 * index));
    while (sent < node->out.count) {
        ssize_t now = send(node->channel, node->out.bytes + sent, node->out.count - sent, MSG_NOSIGNAL);
        if (0 < now) {
            sent += (size_t)now;
        } else if (now == 0 || errno != EINTR) {
            int is_closed = now == 0 || errno == EPIPE || errno == ECONNRESET;
            mistake(node, "the run is gone: %s", is_closed ? "it closed the channel" : strerror(errno));
            return;
        }
    }
}

/* ---- what arrives ---- */

static int read_fully(consort_node *node, unsigned char *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t now = read(node->channel, bytes + done, count - done);
        if (0 < now) {
            done += (size_t)now;
        } else if (now == 0 || errno != EINTR) {
            int is_closed = now == 0 || errno == ECONNRESET;
            mistake(node, "the run is gone: %s", is_closed ? "it closed the channel" : strerror(errno));
            return 0;
        }
    }
    return 1;
}

/* The kind of the next message; 0 after a mistake. */
static char receive(consort_node *node) {
    unsigned char head[4];
    size_t length;
    node->at = 0;
    node->in.count = 0;
    if (!is_well(node) || !read_fully(node, head, 4)) return 0;
    length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    if (length == 0) mistake(node, "the run sent an empty message");
    if (!is_well(node) || !reserve(node, &node->in, length)) return 0;
    if (!read_fully(node, node->in.bytes, length)) return 0;
    node->in.count = length;
    node->at = 1;
    return (char)node->in.bytes[0];
}

static const unsigned char *take(consort_node *node, size_t count) {
    const unsigned char *bytes = node->in.bytes + node->at;
    if (!is_well(node)) return NULL;
    if (node->in.count - node->at < count) {
        mistake(node, "the run sent a message that ends too early");
        return NULL;
    }
    node->at += count;
    return bytes;
}

static uint64_t take_number(consort_node *node, size_t width) {
    const unsigned char *bytes = take(node, width);
    uint64_t value = 0;
    size_t index;
    if (bytes == NULL) return 0;
    for (index = 0; index < width; index++) value |= (uint64_t)bytes[index] << (8 * index);
    return value;
}

static double take_real(consort_node *node) {
    uint64_t bits = take_number(node, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A new text, to be freed. */
static char *take_text(consort_node *node) {
    size_t length = (size_t)take_number(node, 4);
    const unsigned char *bytes = take(node, length);
    char *text = bytes == NULL ? NULL : claim(node, length + 1, 1);
    if (text != NULL) memcpy(text, bytes, length);
    return text;
}

static void take_element(consort_node *node, entry *variable, uint32_t element) {
    switch (variable->type) {
    case 'r': variable->reals[element] = take_real(node); break;
    case 'w': variable->wholes[element] = (int64_t)take_number(node, 8); break;
    case 'b': variable->wholes[element] = take_number(node, 1) != 0; break;
    default:
        free(variable->texts[element]);
        variable->texts[element] = take_text(node);
        break;
    }
}

/* Those of one causality; of 0 all. */
static void take_values(consort_node *node, char causality) {
    uint32_t index, element;
    for (index = 0; index < node->count && is_well(node); index++) {
        entry *variable = &node->variables[index];
        if (causality != 0 && variable->causality != causality) continue;
        for (element = 0; element < variable->count; element++) take_element(node, variable, element);
    }
}

static void take_end(consort_node *node) {
    if (is_well(node) && node->at != node->in.count) {
        mistake(node, "the run sent a message that is too long");
    }
}

/* ---- joining ---- */

static void take_variable(consort_node *node, entry *variable) {
    variable->name = take_text(node);
    variable->causality = (char)take_number(node, 1);
    variable->type = (char)take_number(node, 1);
    variable->count = (uint32_t)take_number(node, 4);
    if (!is_well(node)) variable->count = 0;
    if (ELEMENTS_MAX - node->elements < variable->count) {
        mistake(node, "the variables have more than %u elements", ELEMENTS_MAX);
        variable->count = 0;
    }
    node->elements += variable->count;
    switch (variable->type) {
    case 'r': variable->reals = claim(node, variable->count, sizeof *variable->reals); break;
    case 'w':
    case 'b': variable->wholes = claim(node, variable->count, sizeof *variable->wholes); break;
    case 's': variable->texts = claim(node, variable->count, sizeof *variable->texts); break;
    default: mistake(node, "the run knows a type of variables that this program does not"); break;
    }
}

static void take_table(consort_node *node) {
    uint32_t version = (uint32_t)take_number(node, 4), count, index;
    if (is_well(node) && version != VERSION) {
        mistake(node, "the run speaks version %u, this program version %u: compile it with the `consort.c` of that Consort",
                (unsigned)version, (unsigned)VERSION);
        return;
    }
    node->saves_state = take_number(node, 1) != 0;
    count = (uint32_t)take_number(node, 4);
    /* A variable takes ten bytes at least: no room is made for what is not there. */
    if (is_well(node) && (node->in.count - node->at) / 10 < count) {
        mistake(node, "the run sent a message that ends too early");
    }
    if (!is_well(node)) return;
    node->variables = claim(node, count, sizeof *node->variables);
    if (node->variables == NULL) return;
    node->count = count;
    for (index = 0; index < count && is_well(node); index++) take_variable(node, &node->variables[index]);
    take_end(node);
}

/* What came instead of what was expected. */
static void refused(consort_node *node, char kind) {
    if (kind == 'E') {
        char *why = take_text(node);
        mistake(node, "%s", why == NULL || why[0] == '\0' ? "the run ended before it began" : why);
        free(why);
    } else {
        mistake(node, "the run sent a message that makes no sense here");
    }
}

static void greet(consort_node *node, const char *component) {
    char kind;
    begin(node, 'H');
    add(node, "consort", 8);
    add_number(node, VERSION, 4);
    add_text(node, component);
    finish(node);
    kind = receive(node);
    if (kind == 'T') take_table(node);
    else refused(node, kind);
    kind = receive(node);
    if (kind == 'I') {
        node->start = take_real(node);
        node->stop = take_real(node);
        take_values(node, 0);
        take_end(node);
        node->owes = 1;
    } else {
        refused(node, kind);
    }
}

static void close_on_exec(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    if (0 <= flags) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

/* Starts the companion with one end of the channel as its standard input. */
static void start(consort_node *node, const char *const companion[]) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        mistake(node, "there is no channel to be had: %s", strerror(errno));
        return;
    }
    close_on_exec(ends[0]);
    node->channel = ends[0];
    node->companion = fork();
    if (node->companion == 0) {
        if (0 <= dup2(ends[1], 0)) {
            if (ends[1] != 0) close(ends[1]);
            execvp(companion[0], (char *const *)companion);
        }
        _exit(127);
    }
    close(ends[1]);
    if (node->companion < 0) {
        node->companion = 0;
        mistake(node, "no process can be started: %s", strerror(errno));
    }
}

/* The work of a program whose run is gone is not needed. */
static void adopt(consort_node *node, const char *channel) {
    char *end;
    long number = strtol(channel, &end, 10);
    if (*channel == '\0' || *end != '\0' || number < 0 || 1 << 20 < number) {
        mistake(node, "`CONSORT_CHANNEL` is no number of a descriptor: `%.50s`", channel);
        return;
    }
    node->channel = (int)number;
    close_on_exec(node->channel);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void discard(consort_node *node) {
    uint32_t index, element;
    for (index = 0; index < node->count; index++) {
        entry *variable = &node->variables[index];
        for (element = 0; variable->texts != NULL && element < variable->count; element++) {
            free(variable->texts[element]);
        }
        free(variable->name);
        free(variable->reals);
        free(variable->wholes);
        free(variable->texts);
    }
    free(node->variables);
    free(node->in.bytes);
    free(node->out.bytes);
    free(node);
}

/* Closes the channel and waits for the companion; whether that ended well. */
static int part(consort_node *node) {
    int status = 0;
    if (0 <= node->channel) close(node->channel);
    node->channel = -1;
    if (node->companion <= 0) return 1;
    while (waitpid(node->companion, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static consort_node *join(const char *component, const char *channel, const char *const companion[]) {
    consort_node *node = calloc(1, sizeof *node);
    join_error[0] = '\0';
    if (node == NULL) {
        snprintf(join_error, sizeof join_error, "there is no memory");
        return NULL;
    }
    node->channel = -1;
    if (channel != NULL) adopt(node, channel);
    else start(node, companion);
    if (is_well(node)) greet(node, component);
    if (is_well(node)) return node;
    snprintf(join_error, sizeof join_error, "%s", node->error);
    part(node);
    discard(node);
    return NULL;
}

consort_node *consort_join_with(const char *component, const char *const companion[]) {
    return join(component, NULL, companion);
}

consort_node *consort_join(const char *component) {
    const char *channel = getenv("CONSORT_CHANNEL"), *command = getenv("CONSORT_NODE");
    const char *words[WORDS_MAX + 1];
    size_t count = 0;
    char *copy, *word;
    consort_node *node;
    if (channel != NULL) return join(component, channel, NULL);
    if (command == NULL || command[0] == '\0') {
        snprintf(join_error, sizeof join_error,
                 "no run to join: start this program by `consort run`, or set `CONSORT_NODE` "
                 "to the command of its node, one word per line");
        return NULL;
    }
    copy = malloc(strlen(command) + 1);
    if (copy == NULL) {
        snprintf(join_error, sizeof join_error, "there is no memory");
        return NULL;
    }
    strcpy(copy, command);
    for (word = copy; word != NULL && count < WORDS_MAX; count++) {
        char *end = strchr(word, '\n');
        words[count] = word;
        if (end != NULL) *end++ = '\0';
        word = end == NULL || *end == '\0' ? NULL : end;
    }
    words[count] = NULL;
    node = join(component, NULL, words);
    free(copy);
    return node;
}

/* ---- taking part ---- */

static void save(consort_node *node) {
    begin(node, 'B');
    add_values(node, 'o');
    add(node, node->state, node->state_count);
    finish(node);
}

static void restore(consort_node *node) {
    const unsigned char *bytes;
    take_values(node, 'o');
    bytes = take(node, node->state_count);
    take_end(node);
    if (!is_well(node)) return;
    if (0 < node->state_count) memcpy(node->state, bytes, node->state_count);
    begin(node, 'A');
    finish(node);
}

static void report_failure(consort_node *node) {
    char words[sizeof node->error];
    if (node->channel < 0 || node->ended) return;
    memcpy(words, node->error, sizeof words);
    node->error[0] = '\0';
    begin(node, 'F');
    add_text(node, words);
    finish(node);
    memcpy(node->error, words, sizeof words);
    node->ended = 1;
}

static int failed(consort_node *node) {
    if (node != NULL) report_failure(node);
    return -1;
}

/* What is done with a message: 1 and 0 as `consort_next`, -1 after a mistake, 2 to wait for another. */
static int obey(consort_node *node, char kind, double *time, double *length) {
    switch (kind) {
    case 'S':
        *time = take_real(node);
        *length = take_real(node);
        take_values(node, 'i');
        take_end(node);
        node->owes = 1;
        return 1;
    case 'G':
        if (!node->saves_state) mistake(node, "the run asks for a state, which the interface does not offer");
        else if (node->state == NULL) mistake(node, "the interface says `saves-state`, but `consort_state` was not called");
        else save(node);
        return 2;
    case 'R':
        if (node->state == NULL) mistake(node, "there is a state to restore, but `consort_state` was not called");
        else restore(node);
        return 2;
    case 'E':
        free(take_text(node));
        node->ended = 1;
        return 0;
    case 0: return -1;
    default: mistake(node, "the run sent a message of an unknown kind"); return -1;
    }
}

int consort_next(consort_node *node, double *time, double *length) {
    double ignored;
    if (node != NULL && node->ended) mistake(node, "the run has ended");
    if (!is_well(node)) return failed(node);
    if (node->owes) {
        begin(node, 'D');
        add_values(node, 'o');
        finish(node);
        node->owes = 0;
    }
    for (;;) {
        char kind = receive(node);
        int done = obey(node, kind, time == NULL ? &ignored : time, length == NULL ? &ignored : length);
        if (!is_well(node)) return failed(node);
        if (done != 2) return done;
    }
}

int consort_variable(consort_node *node, const char *name) {
    uint32_t index;
    if (!is_well(node)) return -1;
    for (index = 0; index < node->count; index++) {
        if (strcmp(node->variables[index].name, name) == 0) return (int)index;
    }
    mistake(node, "there is no variable `%.100s`", name);
    return -1;
}

static entry *find(consort_node *node, int index) {
    if (!is_well(node)) return NULL;
    if (0 <= index && (uint32_t)index < node->count) return &node->variables[index];
    mistake(node, "there is no variable number %d", index);
    return NULL;
}

size_t consort_count(consort_node *node, int index) {
    entry *variable = find(node, index);
    return variable == NULL ? 0 : variable->count;
}

/* The variable, if it has that element and is of one of the types. */
static entry *reach(consort_node *node, int index, size_t element, const char *types, int puts) {
    entry *variable = find(node, index);
    if (variable == NULL) return NULL;
    if (strchr(types, variable->type) == NULL) {
        const char *call = types[0] == 'r' ? "real numbers" : types[0] == 'w' ? "whole numbers" : "texts";
        mistake(node, "`%.100s` is used by the calls for %s, but is of another type", variable->name, call);
    } else if (variable->count <= element) {
        mistake(node, "`%.100s` has %lu elements, there is none with number %lu", variable->name,
                (unsigned long)variable->count, (unsigned long)element);
    } else if (puts && variable->causality != 'o') {
        mistake(node, "`%.100s` is no output and cannot be put", variable->name);
    }
    return is_well(node) ? variable : NULL;
}

double consort_get_at(consort_node *node, int index, size_t element) {
    entry *variable = reach(node, index, element, "r", 0);
    return variable == NULL ? 0.0 : variable->reals[element];
}

double consort_get(consort_node *node, int index) { return consort_get_at(node, index, 0); }

void consort_put_at(consort_node *node, int index, size_t element, double value) {
    entry *variable = reach(node, index, element, "r", 1);
    if (variable != NULL) variable->reals[element] = value;
}

void consort_put(consort_node *node, int index, double value) { consort_put_at(node, index, 0, value); }

int64_t consort_get_whole(consort_node *node, int index, size_t element) {
    entry *variable = reach(node, index, element, "wb", 0);
    return variable == NULL ? 0 : variable->wholes[element];
}

void consort_put_whole(consort_node *node, int index, size_t element, int64_t value) {
    entry *variable = reach(node, index, element, "wb", 1);
    if (variable != NULL) variable->wholes[element] = value;
}

const char *consort_get_text(consort_node *node, int index, size_t element) {
    entry *variable = reach(node, index, element, "s", 0);
    return variable == NULL || variable->texts[element] == NULL ? "" : variable->texts[element];
}

void consort_put_text(consort_node *node, int index, size_t element, const char *text) {
    entry *variable = reach(node, index, element, "s", 1);
    char *copy = variable == NULL ? NULL : claim(node, strlen(text) + 1, 1);
    if (copy == NULL) return;
    strcpy(copy, text);
    free(variable->texts[element]);
    variable->texts[element] = copy;
}

double consort_start(const consort_node *node) { return node == NULL ? 0.0 : node->start; }

double consort_stop(const consort_node *node) { return node == NULL ? NAN : node->stop; }

void consort_state(consort_node *node, void *bytes, size_t count) {
    if (!is_well(node)) return;
    node->state = bytes;
    node->state_count = count;
}

void consort_fail(consort_node *node, const char *message) {
    mistake(node, "%s", message[0] == '\0' ? "it gives no reason" : message);
}

const char *consort_error(const consort_node *node) { return node == NULL ? join_error : node->error; }

int consort_leave(consort_node *node) {
    int is_good;
    if (node == NULL) {
        fprintf(stderr, "consort: %s\n", join_error[0] == '\0' ? "the run was not joined" : join_error);
        return 1;
    }
    if (!is_well(node)) {
        report_failure(node);
        /* A run that started us has received the error; otherwise it would not be shown. */
        if (0 < node->companion) fprintf(stderr, "consort: %s\n", node->error);
    } else if (!node->ended) {
        begin(node, 'L');
        finish(node);
    }
    is_good = is_well(node) && node->ended;
    is_good = part(node) && is_good;
    discard(node);
    return is_good ? 0 : 1;
}
