#include "liar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PERIOD = 0.25, TURN = 0.37;

void reset(Values *v)
{
    double time = v->time;
    memset(v, 0, sizeof *v);
    v->time = time;
    v->k = 1.0;
    refresh(v);
}

/* What follows from time, states and inputs. */
void refresh(Values *v)
{
    v->der_x = v->k + v->u - v->x;
    v->z = v->time - TURN;
    v->b = 0.0 <= v->z;
}

/* The exact solution with the input held. */
void advance(Values *v, double to)
{
    double rest = v->k + v->u;
    if (STATES) v->x = rest + (v->x - rest) * exp(v->time - to);
    v->time = to;
    refresh(v);
}

double next_event(const Values *v) { return PERIOD * (v->n + 1); }

void handle_events(Values *v)
{
    while (next_event(v) <= v->time) v->n++;
    refresh(v);
}

double *number(Values *v, uint32_t reference)
{
    switch (reference) {
        case TIME: return &v->time;
        case U: return &v->u;
        case K: return &v->k;
        case X: case Y: return &v->x;
        case DER_X: return &v->der_x;
        case Z: return &v->z;
        default: return NULL;
    }
}

const char *text_of(Liar *liar)
{
    snprintf(liar->text, sizeof liar->text, "%s, %d", liar->values.b ? "late" : "early", (int)liar->values.n);
    return liar->text;
}
