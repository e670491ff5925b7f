/* Mappings without a file are not POSIX. */
#define _GNU_SOURCE
#include "consort_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Where the state is that importers do not know. */
enum { STATIC, HEAP, BLOCKS, GROWTH, TABLE, DELAY, FILE_READ, PURGE, KINDS };
enum { HISTORY = 64, NODES = 50, BLOCK_COUNT = 8, CHARACTERS = 20000, PAGE = 4096 / sizeof(double), PURGED_PAGES = 2048 };

typedef struct { double time, u; int32_t kind, size; double y; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(FIXED, INT32, kind),
    SCALAR(FIXED, INT32, size),
    SCALAR(OUTPUT, FLOAT64, y),
};

typedef struct Node { struct Node *next; size_t count; double values[]; } Node;

/* Everything is outside of the struct of values: in static memory, and where it points to. */
static struct {
    uint32_t random, steps;
    double history[HISTORY];
    Node *nodes;
    double *blocks[BLOCK_COUNT];
    size_t counts[BLOCK_COUNT];
    double *growth, *table, *delay, *purged;
    size_t grown, cells, cell, delayed, room;
    FILE *file;
} hidden = { .random = 12345 };

static uint32_t draw(uint32_t below)
{
    hidden.random = hidden.random * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)hidden.random * below) >> 32);
}

static double in_static(double u)
{
    double *place = &hidden.history[hidden.steps % HISTORY];
    *place = 0.5 * *place + u + 1e-3 * draw(1000);
    return *place + hidden.history[draw(HISTORY)];
}

/* A list with objects of every size: the newest comes to the front, the oldest goes. */
static double in_heap(double u)
{
    size_t count = 1 + draw(200);
    Node *node = malloc(sizeof *node + count * sizeof *node->values);
    if (!node) return NAN;
    node->next = hidden.nodes, node->count = count;
    for (size_t i = 0; i < count; i++) node->values[i] = u + (double)i / (double)count;
    hidden.nodes = node;
    double sum = 0;
    size_t length = 0;
    for (Node **link = &hidden.nodes; *link; length++) {
        Node *at = *link;
        sum += at->values[draw((uint32_t)at->count)] / (double)(length + 1);
        if (length < NODES) { link = &at->next; continue; }
        *link = at->next;
        free(at);
    }
    return sum;
}

/* Blocks so large that each is a mapping of its own. */
static double in_blocks(double u)
{
    uint32_t which = draw(BLOCK_COUNT);
    size_t count = 20000 + draw(80000);
    free(hidden.blocks[which]);
    double *block = calloc(count, sizeof *block);
    if (!block) return NAN;
    hidden.blocks[which] = block, hidden.counts[which] = count;
    for (size_t i = 0; i < count; i += 1000) block[i] = u + (double)(i + which);
    double sum = 0;
    for (size_t b = 0; b < BLOCK_COUNT; b++)
        if (hidden.blocks[b]) sum += hidden.blocks[b][draw((uint32_t)(hidden.counts[b] / 1000)) * 1000];
    return sum;
}

/* One array that grows, and now and then shrinks. */
static double in_growth(double u)
{
    size_t before = hidden.grown, now = draw(20) ? before + 1 + draw(4000) : 1 + before / 8;
    double *array = realloc(hidden.growth, now * sizeof *array);
    if (!array) return NAN;
    for (size_t i = before; i < now; i++) array[i] = u + (double)(i % 97);
    hidden.growth = array, hidden.grown = now;
    array[draw((uint32_t)now)] += 1;
    return array[draw((uint32_t)now)] + array[now - 1];
}

/* A table of `size` kB, made at initialization, of which each step changes one page. */
static double in_table(double u)
{
    size_t pages = (hidden.cells + PAGE - 1) / PAGE;
    size_t cell = (hidden.steps % pages) * PAGE;
    hidden.table[cell] += u + 1e-3 * (double)hidden.cell;
    hidden.cell = (hidden.cell + draw(1000)) % hidden.cells;
    return hidden.table[hidden.cell] + hidden.table[cell];
}

/* What went in some steps ago comes out: a buffer that is made larger when it is full. */
static double in_delay(double u)
{
    if (hidden.delayed == hidden.room) {
        hidden.room = hidden.room ? 2 * hidden.room : 4;
        double *delay = malloc(hidden.room * sizeof *delay);
        if (!delay) return NAN;
        if (hidden.delay) memcpy(delay, hidden.delay, hidden.delayed * sizeof *delay);
        free(hidden.delay);
        hidden.delay = delay;
    }
    hidden.delay[hidden.delayed++] = u + 0.01 * draw(100);
    size_t back = hidden.delayed < 30 ? hidden.delayed : 30;
    return hidden.delay[hidden.delayed - back];
}

/* A file of our own, read on from where the last step stopped. */
static double in_file(double u)
{
    char text[40];
    size_t count = 1 + draw(sizeof text - 1);
    if (fread(text, 1, count, hidden.file) < count) rewind(hidden.file);
    double sum = u;
    for (size_t i = 0; i < count; i++) sum += text[i];
    return sum + (double)ftell(hidden.file);
}

/* As allocators do: memory is given back, and is all zeros afterwards whether it was taken or not. */
static double in_purge(double u)
{
    size_t size = PURGED_PAGES * PAGE * sizeof(double);
    if (!hidden.purged) {
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return NAN;
        hidden.purged = memory;
    }
    hidden.purged[draw(PURGED_PAGES) * PAGE] += u + 1;
    double sum = 0;
    for (size_t page = 0; page < PURGED_PAGES; page++) sum += hidden.purged[page * PAGE];
    /* Last of all, so that it is not read before the step ends. */
    if (draw(10) == 0 && madvise(hidden.purged, size, MADV_DONTNEED)) memset(hidden.purged, 0, size);
    return sum;
}

static bool make_file(void)
{
    FILE *file = fopen("hidden.txt", "w");
    if (!file) return false;
    for (int i = 0; i < CHARACTERS; i++) fputc('a' + (i * i + i / 7) % 26, file);
    fclose(file);
    hidden.file = fopen("hidden.txt", "r");
    return hidden.file;
}

static bool make_table(int32_t size)
{
    hidden.cells = (size_t)(size < 4 ? 4 : size) * 1024 / sizeof *hidden.table;
    hidden.table = malloc(hidden.cells * sizeof *hidden.table);
    for (size_t i = 0; hidden.table && i < hidden.cells; i++) hidden.table[i] = 1 + (double)(i % 1009) / 1009;
    return hidden.table;
}

static void start(void *values) { ((Values *)values)->size = 64; }

static Status initialize(const Context *context, void *values)
{
    Values *v = values;
    bool made = v->kind == TABLE ? make_table(v->size) : v->kind == FILE_READ ? make_file() : true;
    if (made && 0 <= v->kind && v->kind < KINDS) return OK;
    context->log(context, ERROR, "no hidden state of kind %d", (int)v->kind);
    return ERROR;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)step;
    static double (*const kinds[KINDS])(double) = { in_static, in_heap, in_blocks, in_growth,
                                                    in_table, in_delay, in_file, in_purge };
    Values *v = values;
    v->y = kinds[v->kind](v->u);
    hidden.steps++;
    return OK;
}

const Model model = {
    .identifier = "hidden", .token = "consort-testkit-hidden-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .step = step,
};
