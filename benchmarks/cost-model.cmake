# `ninja bench-cost-model`: how long the cost of a schedule takes to compute. Not
# in `all`.
add_executable(bench-cost-model EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/cost-model.cpp)
target_link_libraries(bench-cost-model PRIVATE MercuryTuning LLVM)
