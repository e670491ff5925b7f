/* The benchmark's problems for CVODE; the same formulas, in the same order, as src/problems.rs. */
#include <math.h>
#include <nvector/nvector_serial.h>

#define BODIES 7

int robertson(double t, N_Vector y, N_Vector ydot, void *user)
{
  (void)t; (void)user;
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(ydot);
  dx[0] = -0.04 * x[0] + 1.0e4 * x[1] * x[2];
  dx[2] = 3.0e7 * x[1] * x[1];
  dx[1] = -dx[0] - dx[2];
  return 0;
}

int van_der_pol(double t, N_Vector y, N_Vector ydot, void *user)
{
  (void)t;
  const double mu = *(const double *)user;
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(ydot);
  dx[0] = x[1];
  dx[1] = mu * (1.0 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}

int arenstorf(double t, N_Vector y, N_Vector ydot, void *user)
{
  (void)t; (void)user;
  const double mu = 0.012277471, nu = 1.0 - 0.012277471;
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(ydot);
  const double a = x[0] + mu, b = x[0] - nu, y2 = x[1] * x[1];
  const double a2 = a * a + y2, b2 = b * b + y2;
  const double d1 = a2 * sqrt(a2), d2 = b2 * sqrt(b2);
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = x[0] + 2.0 * x[3] - nu * a / d1 - mu * b / d2;
  dx[3] = x[1] - 2.0 * x[2] - nu * x[1] / d1 - mu * x[1] / d2;
  return 0;
}

int brusselator(double t, N_Vector y, N_Vector ydot, void *user)
{
  (void)t; (void)user;
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(ydot);
  const double reaction = x[0] * x[0] * x[1];
  dx[0] = 1.0 + reaction - 4.0 * x[0];
  dx[1] = 3.0 * x[0] - reaction;
  return 0;
}

int pleiades(double t, N_Vector y, N_Vector ydot, void *user)
{
  (void)t; (void)user;
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(ydot);
  for (int i = 0; i < 2 * BODIES; i++) {
    dx[i] = x[2 * BODIES + i];
    dx[2 * BODIES + i] = 0.0;
  }
  double *du = dx + 2 * BODIES, *dv = dx + 3 * BODIES;
  for (int i = 0; i < BODIES; i++) {
    for (int j = i + 1; j < BODIES; j++) {
      const double a = x[j] - x[i], b = x[BODIES + j] - x[BODIES + i];
      const double r2 = a * a + b * b;
      const double pull = 1.0 / (r2 * sqrt(r2));
      const double pull_i = (double)(j + 1) * pull, pull_j = (double)(i + 1) * pull;
      du[i] += pull_i * a;
      dv[i] += pull_i * b;
      du[j] -= pull_j * a;
      dv[j] -= pull_j * b;
    }
  }
  return 0;
}

int heat(double t, N_Vector y, N_Vector ydot, void *user)
{
  (void)t; (void)user;
  const sunindextype n = NV_LENGTH_S(y);
  const double c = (double)((n + 1) * (n + 1));
  const double *restrict x = NV_DATA_S(y);
  double *restrict dx = NV_DATA_S(ydot);
  dx[0] = c * (x[1] - 2.0 * x[0]);
  for (sunindextype i = 1; i < n - 1; i++) { dx[i] = c * (x[i - 1] - 2.0 * x[i] + x[i + 1]); }
  dx[n - 1] = c * (x[n - 2] - 2.0 * x[n - 1]);
  return 0;
}
