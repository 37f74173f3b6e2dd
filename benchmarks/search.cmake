# `ninja bench-search`: how many schedules are looked at in a second, and how
# long the best takes to find and to prove. Not in `all`.
add_executable(bench-search EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/search.cpp)
# Counts and costs candidates in the form that the search has them in.
target_include_directories(bench-search PRIVATE ${CMAKE_SOURCE_DIR}/lib/Tuning)
target_link_libraries(bench-search PRIVATE MercuryTuning LLVM)
