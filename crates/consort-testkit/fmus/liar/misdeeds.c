/* What a lying FMU does beside its work: it logs, sleeps, dies, or changes the world around it. */
#define _GNU_SOURCE
#include "liar.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum {
    LOG_PLAIN, LOG_PERCENT, LOG_NO_CATEGORY, LOG_NO_MESSAGE, LOG_NO_NAME, LOG_HUGE, LOG_MANY, LOG_NOT_UTF8, LOG_STEERING,
    LOG_ODD_STATUS, LOG_THREAD, LOG_THREAD_GOES_ON, LOG_NO_ENVIRONMENT, LOG_ENVIRONMENT_ONE, LOG_STALE_ENVIRONMENT
};

/* A copy: a thread may log after its instance is gone. */
typedef struct { Callbacks callbacks; char name[128]; unsigned pause, lines; } Voice;

static void say(const Liar *liar, int status, const char *category, const char *message)
{
    liar->callbacks.log(liar->callbacks.environment, liar->name, status, category, message);
}

static void *talk(void *given)
{
    Voice *voice = given;
    for (unsigned i = 0; i < voice->lines; i++) {
        voice->callbacks.log(voice->callbacks.environment, voice->name, OK, "logAll", "a line of a thread of its own");
        if (voice->pause) usleep(voice->pause);
    }
    free(voice);
    return NULL;
}

static void talk_elsewhere(const Liar *liar, unsigned pause, unsigned lines, bool wait)
{
    Voice *voice = calloc(1, sizeof *voice);
    pthread_t thread;
    if (!voice) return;
    voice->callbacks = liar->callbacks;
    strncpy(voice->name, liar->name, sizeof voice->name - 1);
    voice->pause = pause;
    voice->lines = lines;
    if (pthread_create(&thread, NULL, talk, voice) != 0) return;
    if (wait) pthread_join(thread, NULL);
    else pthread_detach(thread);
}

static void log_huge(const Liar *liar)
{
    size_t length = 1 << 20;
    char *text = malloc(length + 1);
    if (!text) return;
    memset(text, 'x', length);
    text[length] = '\0';
    say(liar, WARNING, "logAll", text);
    free(text);
}

static void log_with(const Liar *liar, void *environment)
{
    liar->callbacks.log(environment, liar->name, WARNING, "logAll", "a line with another environment");
}

static void log_lies(const Liar *liar, unsigned how)
{
    switch (how) {
        case LOG_PERCENT: say(liar, WARNING, "logAll", "100% of 5 %% and %d"); break;
        case LOG_NO_CATEGORY: say(liar, WARNING, NULL, "without a category"); break;
        case LOG_NO_MESSAGE: say(liar, WARNING, "logAll", NULL); break;
        case LOG_NO_NAME: liar->callbacks.log(liar->callbacks.environment, NULL, OK, "logAll", "whose line?"); break;
        case LOG_HUGE: log_huge(liar); break;
        case LOG_MANY: for (int i = 0; i < 10000; i++) say(liar, OK, "logAll", "one of ten thousand lines"); break;
        case LOG_NOT_UTF8: say(liar, WARNING, "\xff", "not \xc3\x28 UTF-8 \xff"); break;
        case LOG_STEERING: say(liar, WARNING, "log\nAll", "\x1b[2Jcleared\r\nsecond line\a"); break;
        case LOG_ODD_STATUS: say(liar, 99, "logAll", "of status 99"), say(liar, -7, "none", "of status -7"); break;
        case LOG_THREAD: talk_elsewhere(liar, 0, 100, true); break;
        case LOG_THREAD_GOES_ON: talk_elsewhere(liar, 500, 60, false); break;
        case LOG_NO_ENVIRONMENT: log_with(liar, NULL); break;
        case LOG_ENVIRONMENT_ONE: log_with(liar, (void *)(uintptr_t)1); break;
        case LOG_STALE_ENVIRONMENT: {
            void *memory = memset(malloc(256), 0x5a, 256);
            volatile uintptr_t stale = (uintptr_t)memory;
            free(memory);
            log_with(liar, (void *)stale);
            break;
        }
        default: say(liar, WARNING, "logAll", "a plain line"); break;
    }
}

static int deeper(volatile int *above, int depth)
{
    volatile int frame[256];
    if (depth < 0) return *above;
    frame[depth % 256] = *above + depth;
    return deeper(frame, depth + 1) + frame[(depth + 1) % 256];
}

static void die(unsigned how)
{
    volatile int zero = 0, *nowhere = NULL;
    volatile uintptr_t twice = 0;
    switch (how) {
        case 0: exit(0);
        case 1: exit(3);
        case 2: abort();
        case 3: *nowhere = 1; break;
        case 4: zero = deeper(&zero, 0); break;
        case 5: raise(SIGKILL); break;
        case 6:
            twice = (uintptr_t)malloc(40);
            free((void *)twice);
            free((void *)twice);
            break;
        case 7: zero = 1 / zero; break;
        case 8: raise(SIGTERM); break;
        default: _exit(7);
    }
}

static void ignore(int signal) { (void)signal; }

static void close_files(int from, int to)
{
    for (int file = from; file < to; file++) close(file);
}

static void print(size_t lines)
{
    for (size_t i = 0; i < lines; i++) puts("the liar prints where data may be expected");
    fflush(stdout);
}

static void start_child(void)
{
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
}

static void block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void change_world(unsigned how)
{
    switch (how) {
        case 0: fesetround(FE_UPWARD); break;
#ifdef __x86_64__
        case 1: _mm_setcsr(_mm_getcsr() | 0x8040); break;
#endif
        case 2: feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_INEXACT); break;
        case 3: signal(SIGSEGV, ignore); break;
        case 4: signal(SIGPIPE, SIG_DFL); break;
        case 5: signal(SIGINT, SIG_IGN), signal(SIGCHLD, ignore); break;
        case 6: block_signals(); break;
        case 7: if (chdir("/") != 0) abort(); break;
        case 8: close_files(0, 3); break;
        case 9: close_files(3, 64); break;
        case 10: umask(077); break;
        case 11: setenv("PATH", "/nowhere", 1), setenv("TMPDIR", "/nowhere", 1), clearenv(); break;
        case 12: setlocale(LC_ALL, ""), setlocale(LC_NUMERIC, "de_DE.UTF-8"); break;
        case 13: print(1); break;
        case 14: print(2000); break;
        case 15: fputs("the liar complains\n", stderr); break;
        case 16: memset(malloc(64 << 20), 1, 64 << 20); break;
        case 17: start_child(); break;
        case 18: signal(SIGCHLD, SIG_IGN); break;
        default: (void)!write(2, "\xff\xfe\x1b[0m\n", 7); break;
    }
}

static void allocate(const Callbacks *callbacks, unsigned how)
{
    if (!callbacks->allocate || !callbacks->release) return;
    switch (how) {
        case 0: callbacks->release(callbacks->allocate(0, 0)); break;
        case 1: callbacks->release(callbacks->allocate(SIZE_MAX, 2)); break;
        case 2: callbacks->release(NULL); break;
        default: callbacks->release(callbacks->allocate(SIZE_MAX / 2, 1)); break;
    }
}

void misbehave(Liar *liar, const Lie *lie)
{
    switch (lie->kind) {
        case RESET: reset(&liar->values); break;
        case LOG: log_lies(liar, lie->argument); break;
        case SLEEP: usleep(lie->argument * 1000); break;
        case HANG: for (;;) usleep(10000);
        case DIE: die(lie->argument); break;
        case WORLD: change_world(lie->argument); break;
        case ALLOCATE: allocate(&liar->callbacks, lie->argument); break;
        default: break;
    }
}
