/* How lies are read, when they are due, and what they do to numbers, texts and times. */
#define _GNU_SOURCE
#include "liar.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAME_kind_function_call_forever_argument..., up to three times five numbers at the end of the instance's name. */
static void read_lies(Liar *liar, const char *name)
{
    const char *at = strstr(name, "liar");
    at = at ? strchr(at, '_') : NULL;
    while (at && liar->lie_count < LIES_MAX) {
        Lie lie = { 0 };
        int length = 0;
        sscanf(at, "_%u_%u_%u_%u_%u%n", &lie.kind, &lie.function, &lie.call, &lie.forever, &lie.argument, &length);
        if (length == 0) return;
        liar->lies[liar->lie_count++] = lie;
        at += length;
    }
}

Liar *liar_new(const char *name, const Callbacks *callbacks)
{
    Liar *liar = calloc(1, sizeof *liar);
    if (!liar) return NULL;
    const char *other = getenv("LIAR");
    liar->callbacks = *callbacks;
    liar->name = strdup(name ? name : "");
    read_lies(liar, other ? other : liar->name);
    reset(&liar->values);
    return liar;
}

void liar_free(Liar *liar)
{
    if (!liar) return;
    free(liar->name);
    free(liar);
}

/* Notes the lies that were performed, if that is requested. */
static void note(Lie *lie)
{
    const char *path = lie->performed ? NULL : getenv("LIAR_DIARY");
    lie->performed = true;
    FILE *diary = path ? fopen(path, "a") : NULL;
    if (!diary) return;
    fprintf(diary, "%u_%u_%u_%u_%u\n", lie->kind, lie->function, lie->call, lie->forever, lie->argument);
    fclose(diary);
}

static bool is_due(const Liar *liar, const Lie *lie, Function function)
{
    unsigned call = liar->calls[function];
    return lie->function == function && (lie->forever ? lie->call <= call : lie->call == call);
}

Lie *due(Liar *liar, Function function, Kind kind)
{
    for (size_t i = 0; i < liar->lie_count; i++) {
        Lie *lie = &liar->lies[i];
        if (lie->kind != kind || !is_due(liar, lie, function)) continue;
        note(lie);
        return lie;
    }
    return NULL;
}

/* A floating-point mode changes the call's own numbers as well, unless it is changed at its end. */
static bool comes_last(const Lie *lie) { return lie->kind == WORLD && lie->argument < 2; }

void begin(Liar *liar, Function function)
{
    liar->calls[function]++;
    for (size_t i = 0; i < liar->lie_count; i++) {
        Lie *lie = &liar->lies[i];
        if (lie->kind < RESET || lie->kind == ZERO || comes_last(lie) || !is_due(liar, lie, function)) continue;
        note(lie);
        misbehave(liar, lie);
    }
}

/* 100 stands for a status below zero, which a name cannot hold. */
static int status_of(const Lie *lie) { return lie->argument == 100 ? -1 : (int)lie->argument; }

int instead(Liar *liar, Function function)
{
    const Lie *lie = due(liar, function, STATUS_INSTEAD);
    return lie ? status_of(lie) : NOT_DUE;
}

int after(Liar *liar, Function function, int status)
{
    const Lie *last = due(liar, function, WORLD), *lie = due(liar, function, STATUS_AFTER);
    if (last && comes_last(last)) misbehave(liar, last);
    return lie ? status_of(lie) : status;
}

void lie_about_numbers(Liar *liar, Function function, double *numbers, size_t count)
{
    const double wrong[] = { NAN, INFINITY, -INFINITY, DBL_MIN / 8, DBL_MAX, 0.0, -1.0, 1e30 };
    const Lie *lie = count ? due(liar, function, NUMBERS) : NULL;
    for (size_t i = 0; lie && i < count; i++) numbers[i] = wrong[lie->argument % 8];
}

double lie_about_time(Liar *liar, Function function, double truth)
{
    double now = liar->values.time;
    const double wrong[] = { NAN, INFINITY, -INFINITY, now - 0.05, now, nextafter(now, 1e9), 1e6, now + 0.001, -1e300 };
    const Lie *lie = due(liar, function, MOMENT);
    return lie ? wrong[lie->argument % 9] : truth;
}

bool lie_about_flag(Liar *liar, Function function, unsigned flag, bool truth)
{
    for (size_t i = 0; i < liar->lie_count; i++) {
        Lie *lie = &liar->lies[i];
        if (lie->kind != FLAG || lie->argument != flag || !is_due(liar, lie, function)) continue;
        note(lie);
        return !truth;
    }
    return truth;
}

static const char *long_text(void)
{
    static char text[(1 << 20) + 1];
    memset(text, 'x', sizeof text - 1);
    return text;
}

const char *lie_about_text(Liar *liar, Function function, const char *truth)
{
    const Lie *lie = due(liar, function, POINTER);
    if (!lie) return truth;
    switch (lie->argument) {
        case 0: return NULL;
        case 1: return (const char *)(uintptr_t)1;
        case 2: return "\xff\xfe not UTF-8 \xc3";
        case 3: return long_text();
        case 4: return "\x1b[31mred, \"quoted\", 1;2\r\nsecond line\t";
        default: return "";
    }
}

size_t lie_about_size(Liar *liar, Function function, size_t truth)
{
    const size_t wrong[] = { 0, SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 40, truth / 2, SIZE_MAX - 1 };
    const Lie *lie = due(liar, function, SIZE);
    return lie ? wrong[lie->argument % 6] : truth;
}

int zero_count(Liar *liar, Function function, size_t count)
{
    const Lie *lie = count ? NULL : due(liar, function, ZERO);
    if (!lie) return NOT_DUE;
    if (lie->argument == 0) abort();
    return (int)lie->argument;
}
