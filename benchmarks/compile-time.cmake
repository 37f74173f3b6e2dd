# `ninja bench-compile-time`: time to compile, and bytes per rank against the
# compiler's count. Not in `all`.
add_executable(bench-compile-time EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/compile-time.cpp)
llvm_update_compile_flags(bench-compile-time)
target_link_libraries(bench-compile-time PRIVATE
  MercuryRunSupport MercuryInit MLIR LLVM)
