# The only place that knows how a Mercury target is built.

# The MLIR headers that most sources include, compiled once.
set(MERCURY_PCH_HEADERS
    <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>
    <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
    <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Interfaces/TilingInterface.h>)

add_library(mercury_pch OBJECT ${CMAKE_CURRENT_LIST_DIR}/Precompiled.cpp)
llvm_update_compile_flags(mercury_pch)
target_precompile_headers(mercury_pch PRIVATE ${MERCURY_PCH_HEADERS})

# add_mercury_mlir_library(NAME sources... [DEPENDS targets...] [LINK libs...])
# A static library of C++ that sees MLIR.
function(add_mercury_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_precompile_headers(${name} REUSE_FROM mercury_pch)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# add_mercury_plain_library(NAME sources... [LINK libs...])
# A static library of C++ that may use LLVM's support library but no IR.
function(add_mercury_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# add_mercury_tool(NAME sources... [LINK libs...])
function(add_mercury_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  # The precompiled header is compiled with -fPIC; -fPIE would not match it.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM mercury_pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()
