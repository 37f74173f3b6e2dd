# Finds several implementations of MPI beside each other, which FindMPI cannot.

# mercury_find_mpi(IMPLEMENTATION MACRO)
# Looks for the compiler wrapper mpicc.IMPLEMENTATION, or for an mpicc whose mpi.h
# defines MACRO, and asks it how to compile and link. Sets in the cache
# MERCURY_HAS_IMPLEMENTATION and MERCURY_MPIRUN_IMPLEMENTATION (the launcher), and
# makes the target mpi_IMPLEMENTATION.
function(mercury_find_mpi implementation macro)
  find_program(MERCURY_MPICC_${implementation}
               NAMES mpicc.${implementation} mpicc NAMES_PER_DIR)
  set(wrapper ${MERCURY_MPICC_${implementation}})
  set(header ${CMAKE_CURRENT_BINARY_DIR}/includes-mpi.c)
  set(found 0)
  if(wrapper)
    file(WRITE ${header} "#include <mpi.h>\n")
    execute_process(COMMAND ${wrapper} -E -dM ${header}
                    OUTPUT_VARIABLE macros ERROR_QUIET)
    if(macros MATCHES "#define ${macro} ")
      set(found 1)
    endif()
  endif()
  get_filename_component(folder "${wrapper}" DIRECTORY)
  find_program(MERCURY_MPIRUN_${implementation}
               NAMES mpirun.${implementation} mpirun NAMES_PER_DIR
               HINTS ${folder})
  if(NOT MERCURY_MPIRUN_${implementation})
    set(found 0)
  endif()
  set(MERCURY_HAS_${implementation} ${found} CACHE INTERNAL "")
  if(NOT found)
    message(STATUS "${implementation} not found: no libmercury_mpi_${implementation}")
    return()
  endif()
  message(STATUS "Using ${implementation}: ${wrapper}")

  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE command
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(words UNIX_COMMAND "${command}")
  set(includes ${words})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  list(FILTER words INCLUDE REGEX "^(-L|-l|-Wl,)")
  add_library(mpi_${implementation} INTERFACE)
  target_include_directories(mpi_${implementation} SYSTEM INTERFACE ${includes})
  target_link_options(mpi_${implementation} INTERFACE ${words})
  target_link_libraries(mpi_${implementation} INTERFACE ${words})
endfunction()
