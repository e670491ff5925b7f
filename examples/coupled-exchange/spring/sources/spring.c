#include "model.h"

const char GUID[] = "consort-example-exchange-spring";

void model_start(Model *model)
{
    *model = (Model){{0.0}};
    model->value[STIFFNESS] = 100.0;
}

void model_initialize(Model *model) { model_compute(model); }

void model_compute(Model *model)
{
    double *value = model->value;
    double pull = value[STIFFNESS] * (value[RIGHT_X] - value[LEFT_X]);
    pull += value[DAMPING] * (value[RIGHT_V] - value[LEFT_V]);
    value[ON_LEFT] = pull;
    value[ON_RIGHT] = -pull;
}
