#define _GNU_SOURCE
#include "consort_model.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* What the first step at or after time `at` does that is in no copy of the model's memory. */
enum {
    NOTHING, THREAD_ASLEEP, THREAD_BUSY, FILE_WRITTEN, SOCKET, SHARED_MAP, PIPE, TIMER, SYSTEM_V, CHILD, EVENT, READS_CLOCK
};

typedef struct { double time, u; int32_t kind; double at, y; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(FIXED, INT32, kind),
    SCALAR(FIXED, FLOAT64, at),
    SCALAR(OUTPUT, FLOAT64, y),
};

static bool done;
static volatile uint64_t spins;

static volatile bool goes_to_sleep;

static void *sleep_for_ever(void *unused)
{
    goes_to_sleep = true;
    for (;;) pause();
    return unused;
}

/* Awake now and then: a thread that spun would only slow the tests down. */
static void *work_for_ever(void *unused)
{
    for (;;) spins++, nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    return unused;
}

static void make_thread(void *(*work)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
}

static void endanger(int32_t kind)
{
    int pair[2];
    void *memory = NULL;
    switch (kind) {
        case THREAD_ASLEEP:
            make_thread(sleep_for_ever);
            while (!goes_to_sleep) usleep(1000);
            usleep(20000);
            break;
        case THREAD_BUSY: make_thread(work_for_ever); break;
        case FILE_WRITTEN: (void)!write(open("written.txt", O_CREAT | O_WRONLY, 0600), "x", 1); break;
        case SOCKET: (void)socket(AF_UNIX, SOCK_STREAM, 0); break;
        case SHARED_MAP: memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); break;
        case PIPE: (void)!pipe(pair); break;
        case TIMER: (void)timerfd_create(CLOCK_MONOTONIC, 0); break;
        case SYSTEM_V: {
            int segment = shmget(IPC_PRIVATE, 4096, 0600);
            memory = shmat(segment, NULL, 0);
            shmctl(segment, IPC_RMID, NULL);
            break;
        }
        case CHILD:
            /* It ends with its parent: nothing else would end it. */
            if (fork() == 0) prctl(PR_SET_PDEATHSIG, SIGKILL), sleep_for_ever(NULL);
            break;
        case EVENT: (void)eventfd(0, 0); break;
        default: break;
    }
    if (memory) *(volatile char *)memory = 1;
}

static void start(void *values) { (void)values; }

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)step;
    Values *v = values;
    if (!done && v->at <= v->time) done = true, endanger(v->kind);
    struct timespec now = { 0 };
    if (v->kind == READS_CLOCK && v->at <= v->time) clock_gettime(CLOCK_MONOTONIC, &now);
    v->y = 0.5 * v->y + v->u + (double)now.tv_nsec;
    return OK;
}

const Model model = {
    .identifier = "hazard", .token = "consort-testkit-hazard-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .step = step,
};
