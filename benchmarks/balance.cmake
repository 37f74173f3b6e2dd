# `ninja bench-balance`: causal attention on ranks, plain and in zigzag order. Not
# in `all`.
find_library(MERCURY_OPENBLAS_LIBRARY openblas)
if(MERCURY_OPENBLAS_LIBRARY)
  add_executable(bench-balance EXCLUDE_FROM_ALL
    ${CMAKE_CURRENT_LIST_DIR}/balance.cpp
    ${CMAKE_CURRENT_LIST_DIR}/AttentionProblem.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Race.cpp
    ${CMAKE_CURRENT_LIST_DIR}/handwritten/Ring.cpp)
  llvm_update_compile_flags(bench-balance)
  target_link_libraries(bench-balance PRIVATE
    MercuryRunSupport MercuryInit MLIR LLVM Threads::Threads
    ${MERCURY_OPENBLAS_LIBRARY})
  # The compiled program calls a kernel that the executable defines.
  set_target_properties(bench-balance PROPERTIES ENABLE_EXPORTS ON)
endif()
