/* A ring of HELICS federates, as fast as the library allows: for comparison with ours.
 *
 *     helics threads|callbacks|CORE FEDERATES STEPS DOUBLES PORT
 *
 * `threads` puts all federates into one `inproc` core, a thread each; `callbacks` lets the core call them
 * instead; CORE (`tcp`, `tcp_ss`, `zmq`, `zmq_ss`) makes a process of each and one of the broker.
 *
 * Federate i holds DOUBLES numbers x, at first all i. At each time k = 0, 1, ... it publishes x; at k + 1 it
 * reads what its neighbor published at k as u, and x = (x + u) / 2. The answer is one line: the seconds from
 * the first that began to the last that ended, and a hash of all x.
 */
#include <helics.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DOUBLES_MAX 8
/* On a busy machine it takes some time until all have found the broker. */
#define PATIENCE "--timeout=60s --networktimeout=60s"

/* What a federate leaves behind; small enough that a pipe takes it whole. */
typedef struct {
    int index;
    double begin, end, x[DOUBLES_MAX];
} Result;

static int federates, steps, doubles, port;
static const char *core_type;
static Result *results;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void need(const HelicsError *error) {
    if (error->error_code != 0) {
        fprintf(stderr, "helics: %s\n", error->message);
        exit(2);
    }
}

typedef struct {
    HelicsFederate federate;
    HelicsPublication output;
    HelicsInput input;
    HelicsError error;
    Result *result;
    int step;
} Node;

/* Registers federate `index`, connected to its neighbor; `core` names the core that it shares, or has the
 * settings of one of its own. */
static void join(Node *node, int index, const char *core, const char *settings) {
    char name[32], neighbor[32];
    snprintf(name, sizeof name, "n%d", index);
    snprintf(neighbor, sizeof neighbor, "x%d", (index + federates - 1) % federates);
    node->error = helicsErrorInitialize();
    HelicsFederateInfo info = helicsCreateFederateInfo();
    helicsFederateInfoSetCoreName(info, core, &node->error);
    helicsFederateInfoSetCoreTypeFromString(info, core_type, &node->error);
    if (settings != NULL) {
        helicsFederateInfoSetCoreInitString(info, settings, &node->error);
    }
    helicsFederateInfoSetTimeProperty(info, HELICS_PROPERTY_TIME_PERIOD, 1.0, &node->error);
    helicsFederateInfoSetFlagOption(info, HELICS_FLAG_UNINTERRUPTIBLE, HELICS_TRUE, &node->error);
    int own_thread = strcmp(core, "callbacks") != 0;
    if (!own_thread) {
        helicsFederateInfoSetFlagOption(info, HELICS_FLAG_CALLBACK_FEDERATE, HELICS_TRUE, &node->error);
    }
    node->federate = own_thread ? helicsCreateValueFederate(name, info, &node->error)
                                : helicsCreateCallbackFederate(name, info, &node->error);
    need(&node->error);
    helicsFederateInfoFree(info);
    HelicsDataTypes type = doubles == 1 ? HELICS_DATA_TYPE_DOUBLE : HELICS_DATA_TYPE_VECTOR;
    snprintf(name, sizeof name, "x%d", index);
    node->output = helicsFederateRegisterGlobalPublication(node->federate, name, type, "", &node->error);
    node->input = helicsFederateRegisterSubscription(node->federate, neighbor, "", &node->error);
    need(&node->error);
    node->result->index = index;
    node->step = 0;
    for (int i = 0; i < doubles; i++) {
        node->result->x[i] = index;
    }
}

static void publish(Node *node) {
    if (doubles == 1) {
        helicsPublicationPublishDouble(node->output, node->result->x[0], &node->error);
    } else {
        helicsPublicationPublishVector(node->output, node->result->x, doubles, &node->error);
    }
}

static void take(Node *node) {
    double u[DOUBLES_MAX];
    int count = 1;
    if (doubles == 1) {
        u[0] = helicsInputGetDouble(node->input, &node->error);
    } else {
        helicsInputGetVector(node->input, u, doubles, &count, &node->error);
    }
    for (int i = 0; i < doubles; i++) {
        node->result->x[i] = 0.5 * (node->result->x[i] + u[i]);
    }
    need(&node->error);
}

static void run(Node *node) {
    helicsFederateEnterExecutingMode(node->federate, &node->error);
    need(&node->error);
    node->result->begin = now();
    for (int step = 0; step < steps; step++) {
        publish(node);
        HelicsTime granted = helicsFederateRequestTime(node->federate, step + 1.0, &node->error);
        if (granted != step + 1.0) {
            fprintf(stderr, "helics: granted %g instead of %d\n", granted, step + 1);
            exit(2);
        }
        take(node);
    }
    node->result->end = now();
    helicsFederateDisconnect(node->federate, &node->error);
}

static void *run_thread(void *node) {
    run(node);
    return NULL;
}

static Node *join_all(const char *core) {
    HelicsError error = helicsErrorInitialize();
    char settings[64];
    snprintf(settings, sizeof settings, "-f %d --loglevel=error", federates);
    HelicsBroker broker = helicsCreateBroker(core_type, "broker", "-f 1 --loglevel=error", &error);
    need(&error);
    HelicsCore shared = helicsCreateCore(core_type, core, settings, &error);
    need(&error);
    (void)broker;
    (void)shared;
    Node *nodes = calloc((size_t)federates, sizeof *nodes);
    for (int index = 0; index < federates; index++) {
        nodes[index].result = &results[index];
        join(&nodes[index], index, core, NULL);
    }
    return nodes;
}

static void threads(void) {
    Node *nodes = join_all("threads");
    pthread_t *handles = calloc((size_t)federates, sizeof *handles);
    for (int index = 0; index < federates; index++) {
        pthread_create(&handles[index], NULL, run_thread, &nodes[index]);
    }
    for (int index = 0; index < federates; index++) {
        pthread_join(handles[index], NULL);
    }
}

static int finished;

/* Called by the core's own threads when a time is granted; gives the next request. */
static HelicsTime granted(HelicsTime time, void *data) {
    Node *node = data;
    if (time == 0.0) {
        node->result->begin = now();
    } else {
        take(node);
    }
    if (time >= steps) {
        node->result->end = now();
        __atomic_add_fetch(&finished, 1, __ATOMIC_RELEASE);
        return HELICS_TIME_MAXTIME;
    }
    publish(node);
    return time + 1.0;
}

static void callbacks(void) {
    Node *nodes = join_all("callbacks");
    for (int index = 0; index < federates; index++) {
        Node *node = &nodes[index];
        helicsCallbackFederateNextTimeCallback(node->federate, granted, node, &node->error);
        helicsFederateEnterInitializingMode(node->federate, &node->error);
        need(&node->error);
    }
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < federates) {
        usleep(1000);
    }
}

static void record(int pipe, const Result *result) {
    if (write(pipe, result, sizeof *result) != (ssize_t)sizeof *result) {
        _exit(2);
    }
}

/* A child that does not outlive us. */
static pid_t fork_child(void) {
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    return child;
}

/* A process for the broker and one for each federate; none has used the library before it forks. */
static void processes(void) {
    int ends[2];
    if (pipe(ends) != 0) {
        exit(2);
    }
    HelicsError error = helicsErrorInitialize();
    char settings[128];
    if (fork_child() == 0) {
        snprintf(settings, sizeof settings, "-f %d --loglevel=error --port=%d " PATIENCE, federates, port);
        HelicsBroker broker = helicsCreateBroker(core_type, "broker", settings, &error);
        need(&error);
        helicsBrokerWaitForDisconnect(broker, -1, &error);
        _exit(0);
    }
    for (int index = 0; index < federates; index++) {
        if (fork_child() == 0) {
            char core[32];
            Node node = {.result = &results[0]};
            snprintf(core, sizeof core, "core%d", index);
            snprintf(settings, sizeof settings, "-f 1 --loglevel=error --brokerport=%d " PATIENCE, port);
            join(&node, index, core, settings);
            run(&node);
            record(ends[1], node.result);
            helicsCloseLibrary();
            _exit(0);
        }
    }
    close(ends[1]);
    for (int index = 0; index < federates; index++) {
        Result result;
        if (read(ends[0], &result, sizeof result) != (ssize_t)sizeof result) {
            fprintf(stderr, "helics: a federate left nothing\n");
            exit(2);
        }
        results[result.index] = result;
    }
    while (wait(NULL) > 0) {
    }
}

int main(int count, char **words) {
    if (count != 6) {
        return 2;
    }
    federates = atoi(words[2]), steps = atoi(words[3]), doubles = atoi(words[4]), port = atoi(words[5]);
    results = calloc((size_t)federates, sizeof *results);
    core_type = "inproc";
    if (strcmp(words[1], "threads") == 0) {
        threads();
    } else if (strcmp(words[1], "callbacks") == 0) {
        callbacks();
    } else {
        core_type = words[1];
        processes();
    }
    double begin = results[0].begin, end = results[0].end;
    uint64_t hash = 0xcbf29ce484222325;
    for (int index = 0; index < federates; index++) {
        begin = results[index].begin < begin ? results[index].begin : begin;
        end = end < results[index].end ? results[index].end : end;
        for (int i = 0; i < doubles; i++) {
            uint64_t bits;
            memcpy(&bits, &results[index].x[i], sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3;
        }
    }
    printf("%.9f %016llx\n", end - begin, (unsigned long long)hash);
    fflush(stdout);
    _exit(0);
}
