# `ninja bench-overlap`: communication behind compute on emulated links. Not in
# `all`.
add_executable(bench-overlap EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/overlap.cpp)
llvm_update_compile_flags(bench-overlap)
target_link_libraries(bench-overlap PRIVATE
  MercuryRunSupport MercuryInit MLIR LLVM)
# The compiled program calls a kernel that the executable defines.
set_target_properties(bench-overlap PROPERTIES ENABLE_EXPORTS ON)
