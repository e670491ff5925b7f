/* A program that takes part in a run of Consort as one of its components.
 *
 *     consort_node *node = consort_join("tank");
 *     int inflow = consort_variable(node, "inflow"), level = consort_variable(node, "level");
 *     double time, length, x = consort_get(node, level);
 *     while (consort_next(node, &time, &length) == 1) {
 *         x += length * consort_get(node, inflow);
 *         consort_put(node, level, x);
 *     }
 *     return consort_leave(node);
 *
 * C99 and POSIX, one file, no other dependency: compile `consort.c` along with the program. The other
 * languages' modules are made of these functions. The program's variables are declared in an
 * interface file; that and what is promised is in `docs/foreign-nodes.md`.
 *
 * Mistakes are kept: a variable that is not there, a type that is another. After one nothing is read or
 * written any more, `consort_next` gives -1, and the run ends with an error that has the same text as
 * `consort_error`. So no call but `consort_next` need be checked, not even `consort_join`: every function
 * takes a node that is NULL.
 *
 * A node is used by one thread at a time.
 */
#ifndef CONSORT_H
#define CONSORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place of this program in a run. */
typedef struct consort_node consort_node;

/* Takes the place of a component: connects to the run, and waits for parameters and start values. If this program was
 * started by Consort, the channel is there (`CONSORT_CHANNEL`); else the command in `CONSORT_NODE`, one word per line, is started
 * as the companion that does everything else. NULL if that fails; `consort_error(NULL)` says why. */
consort_node *consort_join(const char *component);

/* The same, with a companion that is named here: its program and arguments, NULL at the end. */
consort_node *consort_join_with(const char *component, const char *const companion[]);

/* Hands over the outputs and waits for what is next: 1 a step from `time` of `length`, both in seconds, with
 * inputs that are held during it; 0 the run has ended; -1 it has failed. */
int consort_next(consort_node *node, double *time, double *length);

/* The number of a variable, for the calls below; -1 if there is none. */
int consort_variable(consort_node *node, const char *name);

/* How many elements it has; 1 for a scalar. */
size_t consort_count(consort_node *node, int variable);

/* A real number: Float64. */
double consort_get(consort_node *node, int variable);
double consort_get_at(consort_node *node, int variable, size_t element);
void consort_put(consort_node *node, int variable, double value);
void consort_put_at(consort_node *node, int variable, size_t element, double value);

/* A whole number, or a Boolean as 0 and 1: Int32, Int64, Boolean. */
int64_t consort_get_whole(consort_node *node, int variable, size_t element);
void consort_put_whole(consort_node *node, int variable, size_t element, int64_t value);

/* A text: String. What is read stays until the next `consort_next`; what is put is copied. */
const char *consort_get_text(consort_node *node, int variable, size_t element);
void consort_put_text(consort_node *node, int variable, size_t element, const char *text);

/* Where the run starts, and where it stops: in seconds; the stop is not a number if it is not known. */
double consort_start(const consort_node *node);
double consort_stop(const consort_node *node);

/* These bytes, and the outputs, are all that the program remembers between steps: they are saved and brought back
 * whenever the run is. They hold no pointers and stay where they are. For an interface with `saves-state = true`. */
void consort_state(consort_node *node, void *bytes, size_t count);

/* The program cannot continue: the run ends with an error that says so. */
void consort_fail(consort_node *node, const char *message);

/* What went wrong; empty if nothing did. Of NULL: why the last `consort_join` failed. */
const char *consort_error(const consort_node *node);

/* Ends it all, before the run's end too, and waits for a companion that was started. What a program returns from
 * `main`: 0 if all went well, else 1, with the reason on standard error if the run does not report it. */
int consort_leave(consort_node *node);

#ifdef __cplusplus
}
#endif

#endif
