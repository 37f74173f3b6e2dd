# `ninja bench-masked-attention`: attention with a mask against attention
# without. Not in `all`.
add_executable(bench-masked-attention EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/masked-attention.cpp
  ${CMAKE_CURRENT_LIST_DIR}/CompiledTile.cpp)
llvm_update_compile_flags(bench-masked-attention)
target_link_libraries(bench-masked-attention PRIVATE
  MercuryRunSupport MercuryInit MLIR LLVM)
