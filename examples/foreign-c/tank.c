/* A tank with an outlet, as a program of its own: explicit Euler, one step per communication step. */
#include "consort.h"
#include <math.h>

int main(void) {
    consort_node *node = consort_join("tank");
    int inflow = consort_variable(node, "inflow"), level = consort_variable(node, "level");
    double area = consort_get(node, consort_variable(node, "area"));
    double outlet = consort_get(node, consort_variable(node, "outlet"));
    double time, length, h = consort_get(node, level);

    consort_state(node, &h, sizeof h);
    while (consort_next(node, &time, &length) == 1) {
        h += length * ((consort_get(node, inflow) - outlet * sqrt(h)) / area);
        if (h < 0) h = 0;
        consort_put(node, level, h);
    }
    return consort_leave(node);
}
