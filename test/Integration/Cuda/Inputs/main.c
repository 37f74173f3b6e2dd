/* Runs the GEMM of an object file on two CUDA devices. */
#include "Mercury/Runtime/mercury_cuda.h"

#include <stdio.h>

int gemm(mercury_context *ctx, void *a, void *b, void *result);

static int rank_main(mercury_context *ctx, void *user) {
  (void)user;
  void *buffers[3];
  for (int i = 0; i < 3; ++i)
    buffers[i] = mercury_alloc(ctx, 512 * 512 * 4, MERCURY_WORKSPACE, -1);
  int status = gemm(ctx, buffers[0], buffers[1], buffers[2]);
  return status ? status : mercury_synchronize(ctx);
}

int main(void) {
  static const mercury_host_level level = {.name = "gpu", .size = 2};
  mercury_cuda_config config;
  mercury_cuda_config_init(&config);
  config.levels = &level;
  config.num_levels = 1;
  char error[1024] = "";
  int status = mercury_cuda_run(&config, rank_main, NULL, error, sizeof error);
  fprintf(stderr, "%d: %s\n", status, error);
  return status;
}
