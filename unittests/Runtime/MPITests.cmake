# Runs the tests of the runtime under mpirun, on as many processes as their
# launches have ranks.
foreach(implementation mpich openmpi)
  set(target MercuryRuntimeTests_${implementation})
  if(NOT TARGET mercury_mpi_${implementation})
    continue()
  endif()
  add_executable(${target})
  target_link_libraries(${target} PRIVATE
      MercuryRuntimeTestObjects mercury_mpi_${implementation})
endforeach()
