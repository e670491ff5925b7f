#include "model.h"

const char GUID[] = "consort-example-exchange-mass";

void model_start(Model *model)
{
    *model = (Model){{0.0}};
    model->value[MASS] = 1.0;
}

void model_initialize(Model *model)
{
    model->value[X] = model->value[X0];
    model->value[V] = model->value[V0];
}

void model_compute(Model *model)
{
    model->value[DER_X] = model->value[V];
    model->value[DER_V] = model->value[FORCE] / model->value[MASS];
}
