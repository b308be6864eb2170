# headgate_module(NAME USES module... LIBS target...): the library headgate_NAME of everything in src/NAME.
function(headgate_module name)
  cmake_parse_arguments(arg "" "" "USES;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    add_library(headgate_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(headgate_${name} STATIC ${sources})
    set(scope PUBLIC)
  endif()
  add_library(headgate::${name} ALIAS headgate_${name})
  list(TRANSFORM arg_USES PREPEND headgate::)
  target_link_libraries(headgate_${name} ${scope} headgate::options ${arg_USES} ${arg_LIBS})
  if(HEADGATE_PRECOMPILE AND sources)
    if(name STREQUAL "core")
      target_precompile_headers(headgate_core PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp)
    else()
      target_precompile_headers(headgate_${name} REUSE_FROM headgate_core)
    endif()
  endif()
endfunction()

# headgate_algorithms(MODULE): adds to MODULE the registry of src/MODULE/algorithms/*.cpp, each of which defines a constant of its
# file's name, and the one script joined of lua/algorithms/*.lua and lua/decide.lua, embedded as bytes.
function(headgate_algorithms module)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${module}/algorithms/*.cpp)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    string(APPEND declarations "extern const Algorithm ${name};\n")
    string(APPEND addresses "    &${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${generated}/algorithms.cpp @ONLY CONTENT [[
// Made by cmake/headgate_module.cmake of src/@module@/algorithms/*.cpp.
#include "headgate/@module@/algorithm.hpp"

namespace headgate::@module@ {

@declarations@
namespace {
const Algorithm* const kAlgorithms[] = {
@addresses@};
}  // namespace

std::span<const Algorithm* const> algorithms() noexcept { return kAlgorithms; }

}  // namespace headgate::@module@
]])

  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lua/algorithms/*.lua)
  file(GLOB shared CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lua/*.lua)
  set(decide ${CMAKE_SOURCE_DIR}/lua/decide.lua)
  set(embed ${CMAKE_SOURCE_DIR}/cmake/embed_lua.cmake)
  set(out ${generated}/decide_script.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DALGORITHMS=${scripts}" -DDECIDE=${decide} -P ${embed}
    DEPENDS ${scripts} ${shared} ${embed} VERBATIM)
  target_sources(headgate_${module} PRIVATE ${out} ${generated}/algorithms.cpp)
endfunction()
