# `ninja bench-distributed-attention`: attention on ranks against one rank and
# against a ring written by hand. Not in `all`.
find_library(MERCURY_OPENBLAS_LIBRARY openblas)
if(MERCURY_OPENBLAS_LIBRARY)
  add_executable(bench-distributed-attention EXCLUDE_FROM_ALL
    ${CMAKE_CURRENT_LIST_DIR}/distributed-attention.cpp
    ${CMAKE_CURRENT_LIST_DIR}/AttentionProblem.cpp
    ${CMAKE_CURRENT_LIST_DIR}/CompiledTile.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Race.cpp
    ${CMAKE_CURRENT_LIST_DIR}/handwritten/Ring.cpp
    ${CMAKE_CURRENT_LIST_DIR}/handwritten/RingAttention.cpp)
  llvm_update_compile_flags(bench-distributed-attention)
  target_link_libraries(bench-distributed-attention PRIVATE
    MercuryRunSupport MercuryInit MLIR LLVM Threads::Threads
    ${MERCURY_OPENBLAS_LIBRARY})
endif()
