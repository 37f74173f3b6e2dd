# `ninja bench-distributed-gemm`: GEMMs on ranks against one rank and against a
# version written by hand. Not in `all`.
find_library(MERCURY_OPENBLAS_LIBRARY openblas)
if(MERCURY_OPENBLAS_LIBRARY)
  add_executable(bench-distributed-gemm EXCLUDE_FROM_ALL
    ${CMAKE_CURRENT_LIST_DIR}/distributed-gemm.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Race.cpp
    ${CMAKE_CURRENT_LIST_DIR}/handwritten/Ring.cpp
    ${CMAKE_CURRENT_LIST_DIR}/handwritten/RingGemm.cpp)
  llvm_update_compile_flags(bench-distributed-gemm)
  target_link_libraries(bench-distributed-gemm PRIVATE
    MercuryRunSupport MercuryInit MLIR LLVM Threads::Threads
    ${MERCURY_OPENBLAS_LIBRARY})
endif()
