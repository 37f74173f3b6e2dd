# Installation and `find_package(Mercury)`, from the build and the install tree.
# Included at the end of the top-level CMakeLists.txt.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# mercury_collect_targets(VARIABLE FOLDER TYPES...)
# The targets of these types that a folder and those below it define.
function(mercury_collect_targets variable folder)
  set(found)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type IN_LIST ARGN)
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    mercury_collect_targets(more ${below} ${ARGN})
    list(APPEND found ${more})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

mercury_collect_targets(MERCURY_LIBRARIES ${PROJECT_SOURCE_DIR}/lib
                        STATIC_LIBRARY SHARED_LIBRARY)
set(MERCURY_TOOLS mercury-check mercury-opt mercury-run mercury-translate)

# Tools find libmercury_host and libmercury_blas beside themselves.
set_target_properties(${MERCURY_TOOLS} PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")

install(TARGETS ${MERCURY_LIBRARIES} ${MERCURY_TOOLS} EXPORT MercuryTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/Mercury
                  ${PROJECT_BINARY_DIR}/include/Mercury
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
  PATTERN CMakeFiles EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(MERCURY_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Mercury)
install(EXPORT MercuryTargets DESTINATION ${MERCURY_CONFIG_DIR})

# The build tree: lib/cmake/Mercury in the build folder.
set(config_dir ${PROJECT_BINARY_DIR}/lib/cmake/Mercury)
export(EXPORT MercuryTargets FILE ${config_dir}/MercuryTargets.cmake)
set(MERCURY_CONFIG_INCLUDE_DIRS
    "${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include")
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/modules/MercuryConfig.cmake.in
  ${config_dir}/MercuryConfig.cmake
  INSTALL_DESTINATION ${config_dir} INSTALL_PREFIX ${PROJECT_BINARY_DIR})

set(MERCURY_CONFIG_INCLUDE_DIRS
    "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}")
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/modules/MercuryConfig.cmake.in
  ${PROJECT_BINARY_DIR}/CMakeFiles/install/MercuryConfig.cmake
  INSTALL_DESTINATION ${MERCURY_CONFIG_DIR})
write_basic_package_version_file(${config_dir}/MercuryConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CMakeFiles/install/MercuryConfig.cmake
              ${config_dir}/MercuryConfigVersion.cmake
  DESTINATION ${MERCURY_CONFIG_DIR})
