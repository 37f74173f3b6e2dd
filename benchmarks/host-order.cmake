# `ninja bench-host-order`: the order of the cost model against measured times on
# this machine. Not in `all`.
add_executable(bench-host-order EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/host-order.cpp
  ${CMAKE_CURRENT_LIST_DIR}/OperatorProgram.cpp)
llvm_update_compile_flags(bench-host-order)
target_link_libraries(bench-host-order PRIVATE
  MercuryRunSupport MercuryInit MercuryTuning MLIR LLVM)
