# `ninja bench-local-gemm`: the CPU local compute against OpenBLAS. Not in `all`.
find_library(MERCURY_OPENBLAS_LIBRARY openblas)
if(MERCURY_OPENBLAS_LIBRARY)
  add_executable(bench-local-gemm EXCLUDE_FROM_ALL
    ${CMAKE_CURRENT_LIST_DIR}/local-gemm.cpp)
  llvm_update_compile_flags(bench-local-gemm)
  target_link_libraries(bench-local-gemm PRIVATE
    MercuryLocal MLIR LLVM ${MERCURY_OPENBLAS_LIBRARY})
endif()
