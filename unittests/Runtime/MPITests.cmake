# Runs the tests of the runtime under mpirun, on as many processes as their
# launches have ranks. Left out are those of emulated links, of the allocator,
# which has nothing to do with it, and those that measure time.
set(mpirun_arguments_mpich)
set(mpirun_arguments_openmpi --oversubscribe --bind-to none)
execute_process(COMMAND id -u OUTPUT_VARIABLE user
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(user STREQUAL "0")
  list(APPEND mpirun_arguments_openmpi --allow-run-as-root)
endif()

foreach(implementation mpich openmpi)
  if(NOT TARGET mercury_mpi_${implementation})
    # Says that something was not tested.
    add_test(NAME runtime-${implementation}
             COMMAND ${CMAKE_COMMAND} -E echo "${implementation} was not found")
    set_tests_properties(runtime-${implementation} PROPERTIES
                         SKIP_REGULAR_EXPRESSION "was not found")
    continue()
  endif()
  set(target MercuryRuntimeTests_${implementation})
  add_executable(${target})
  target_link_libraries(${target} PRIVATE
      MercuryRuntimeTestObjects mercury_mpi_${implementation})
  foreach(processes 2 3 4)
    set(name runtime-${implementation}-${processes})
    add_test(NAME ${name}
             COMMAND ${MERCURY_MPIRUN_${implementation}}
                     ${mpirun_arguments_${implementation}} -n ${processes}
                     $<TARGET_FILE:${target}>
                     --gtest_filter=-Timing*:Links*:Allocator*)
    set_tests_properties(${name} PROPERTIES TIMEOUT 180
                         PROCESSORS ${processes})
  endforeach()
endforeach()
