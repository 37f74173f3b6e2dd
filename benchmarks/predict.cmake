# `ninja bench-predict`: the cost model against published measurements, which
# MERCURY_DATA_DIR or --data= names. Not in `all`.
add_executable(bench-predict EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/predict.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ContextParallel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/predict/Calibration.cpp
  ${CMAKE_CURRENT_LIST_DIR}/predict/Methods.cpp
  ${CMAKE_CURRENT_LIST_DIR}/predict/Rows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/predict/Samples.cpp)
target_compile_definitions(bench-predict PRIVATE
  MERCURY_DATA_DIR="${MERCURY_DATA_DIR}")
target_link_libraries(bench-predict PRIVATE MercuryTuning LLVM)
