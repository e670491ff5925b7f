/* A mass that a force moves: der(x) = v, m * der(v) = force. */
#ifndef MODEL_H
#define MODEL_H

enum { FORCE, MASS, X0, V0, X, V, DER_X, DER_V, VARIABLES };
enum { FIRST_COMPUTED = X, STATES = 2, FIRST_STATE = X, FIRST_DERIVATIVE = DER_X };

typedef struct { double value[VARIABLES]; } Model;

extern const char GUID[];

void model_start(Model *model);       /* start values */
void model_initialize(Model *model);  /* states from parameters */
void model_compute(Model *model);     /* everything else from states and inputs */

#endif
