#include "consort_model.h"

#include <string.h>

/* One member per type, in the order of the value references; the outputs repeat the inputs. */
typedef struct {
    double float64;
    float float32;
    int8_t int8;
    uint8_t uint8;
    int16_t int16;
    uint16_t uint16;
    int32_t int32;
    uint32_t uint32;
    int64_t int64;
    uint64_t uint64;
    bool boolean;
    int64_t choice;
    String string;
    Binary binary;
    double matrix[6];
    String names[2];
} Ports;

typedef struct {
    double time;
    Ports in, out;
} Values;

#define PORTS(kind, side)                                                                                             \
    SCALAR(kind, FLOAT64, side.float64), SCALAR(kind, FLOAT32, side.float32), SCALAR(kind, INT8, side.int8),          \
    SCALAR(kind, UINT8, side.uint8), SCALAR(kind, INT16, side.int16), SCALAR(kind, UINT16, side.uint16),              \
    SCALAR(kind, INT32, side.int32), SCALAR(kind, UINT32, side.uint32), SCALAR(kind, INT64, side.int64),              \
    SCALAR(kind, UINT64, side.uint64), SCALAR(kind, BOOLEAN, side.boolean), SCALAR(kind, ENUMERATION, side.choice),   \
    SCALAR(kind, STRING, side.string), SCALAR(kind, BINARY, side.binary), ARRAY(kind, FLOAT64, side.matrix, 6),       \
    ARRAY(kind, STRING, side.names, 2)

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    PORTS(INPUT, in),   /* references 1 to 16 */
    PORTS(OUTPUT, out), /* references 17 to 32 */
};

static void start(void *values)
{
    Values *v = values;
    v->in.choice = 1;
    strcpy(v->in.string.text, "start");
    strcpy(v->in.names[0].text, "one");
    strcpy(v->in.names[1].text, "two");
    v->in.binary.size = 3;
    memcpy(v->in.binary.bytes, "\x00\x7f\xff", 3);
}

static void outputs(void *values)
{
    Values *v = values;
    v->out = v->in;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)values, (void)step;
    return OK;
}

const Model model = {
    .identifier = "feedthrough", .token = "consort-testkit-feedthrough-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .outputs = outputs, .step = step,
};
