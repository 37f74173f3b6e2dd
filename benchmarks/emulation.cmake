# `ninja bench-emulation`: the simulator against emulated execution. Not in `all`.
add_executable(bench-emulation EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/emulation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/OperatorProgram.cpp)
llvm_update_compile_flags(bench-emulation)
target_link_libraries(bench-emulation PRIVATE
  MercuryRunSupport MercuryInit MercuryTuning MLIR LLVM)
