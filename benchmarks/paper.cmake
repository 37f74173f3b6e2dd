# `ninja bench-paper`: the experiments of the published system with the model in
# the place of the clusters. Not in `all`; a unit test links the library.
add_library(MercuryPaper STATIC EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/ContextParallel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Comparison.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Experiments.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Lengths.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Operators.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Pareto.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Tables.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Topologies.cpp
  ${CMAKE_CURRENT_LIST_DIR}/paper/Workloads.cpp)
target_link_libraries(MercuryPaper PUBLIC MercuryTuning LLVM)
add_executable(bench-paper EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/paper.cpp)
target_link_libraries(bench-paper PRIVATE MercuryPaper)
