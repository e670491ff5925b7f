/* A spring with a damper between two things. It has no states: its forces follow its inputs at once. */
#ifndef MODEL_H
#define MODEL_H

enum { LEFT_X, LEFT_V, RIGHT_X, RIGHT_V, STIFFNESS, DAMPING, ON_LEFT, ON_RIGHT, VARIABLES };
enum { FIRST_COMPUTED = ON_LEFT, STATES = 0, FIRST_STATE = 0, FIRST_DERIVATIVE = 0 };

typedef struct { double value[VARIABLES]; } Model;

extern const char GUID[];

void model_start(Model *model);       /* start values */
void model_initialize(Model *model);  /* states from parameters */
void model_compute(Model *model);     /* everything else from states and inputs */

#endif
