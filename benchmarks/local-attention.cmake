# `ninja bench-local-attention`: the tile of attention against OpenBLAS. Not in
# `all`.
find_library(MERCURY_OPENBLAS_LIBRARY openblas)
if(MERCURY_OPENBLAS_LIBRARY)
  add_executable(bench-local-attention EXCLUDE_FROM_ALL
    ${CMAKE_CURRENT_LIST_DIR}/local-attention.cpp
    ${CMAKE_CURRENT_LIST_DIR}/CompiledTile.cpp)
  llvm_update_compile_flags(bench-local-attention)
  # The tile's own exponential, for the softmax of the unfused form.
  target_include_directories(bench-local-attention PRIVATE
    ${PROJECT_SOURCE_DIR}/lib/Transforms/Local)
  target_link_libraries(bench-local-attention PRIVATE
    MercuryRunSupport MercuryInit MLIR LLVM ${MERCURY_OPENBLAS_LIBRARY})
endif()
