# `ninja bench-fidelity`: the cost model against the simulator. Not in `all`.
add_executable(bench-fidelity EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/fidelity.cpp
  ${CMAKE_CURRENT_LIST_DIR}/OperatorProgram.cpp)
llvm_update_compile_flags(bench-fidelity)
target_link_libraries(bench-fidelity PRIVATE
  MercuryRunSupport MercuryInit MercuryTuning MLIR LLVM Threads::Threads)
