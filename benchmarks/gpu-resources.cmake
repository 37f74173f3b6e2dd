# `ninja bench-gpu-resources`: registers, shared memory and spills of kernels.
# Needs ptxas, no GPU. Not in `all`.
add_executable(bench-gpu-resources EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/gpu-resources.cpp
  ${PROJECT_SOURCE_DIR}/unittests/Integration/DeviceCode.cpp)
llvm_update_compile_flags(bench-gpu-resources)
target_include_directories(bench-gpu-resources
  PRIVATE ${PROJECT_SOURCE_DIR}/unittests/Integration)
target_link_libraries(bench-gpu-resources PRIVATE
  MercuryRunSupport MercuryInit MLIR LLVM)
