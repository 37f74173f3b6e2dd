// Launches gemm of save-object.mlir on two ranks that are threads.
#include "Mercury/Runtime/mercury_host.h"

#include <cstdio>

extern "C" int gemm_packed(mercury_context *context, void **buffers);
extern "C" const char gemm_requirements[];

static float results[2][4];

static int runRank(mercury_context *context, void *) {
  static const float a[2][2] = {{1, 2}, {3, 4}}, b[2][2] = {{5, 6}, {7, 8}};
  int64_t rank = mercury_rank(context);
  float column[2] = {a[0][rank], a[1][rank]}, row[2] = {b[rank][0], b[rank][1]};
  float c[4] = {1, 2, 3, 4};
  void *buffers[] = {column, row, c, results[rank]};
  if (int status = gemm_packed(context, buffers))
    return status;
  return mercury_synchronize(context);
}

int main() {
  std::puts(gemm_requirements);
  mercury_host_level level = {"gpu", 2, 0, 0};
  int32_t gpu = 0;
  mercury_host_communicator communicator = {&gpu, 1};
  mercury_host_config config;
  mercury_host_config_init(&config);
  config.levels = &level;
  config.num_levels = 1;
  config.communicators = &communicator;
  config.num_communicators = 1;
  char error[512];
  int code = mercury_host_run(&config, runRank, nullptr, error, sizeof(error));
  if (code)
    std::puts(error);
  for (const float *c : results)
    std::printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  return code;
}
