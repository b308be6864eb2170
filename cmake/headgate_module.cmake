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
endfunction()

# headgate_lua(MODULE): joins lua/algorithms/*.lua and lua/decide.lua into one script, embedded in MODULE as bytes.
function(headgate_lua module)
  file(GLOB algorithms CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lua/algorithms/*.lua)
  set(parts ${algorithms} ${CMAKE_SOURCE_DIR}/lua/decide.lua)
  set(out ${CMAKE_BINARY_DIR}/generated/decide_script.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DPARTS=${parts}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_lua.cmake
    DEPENDS ${parts} ${CMAKE_SOURCE_DIR}/cmake/embed_lua.cmake VERBATIM)
  target_sources(headgate_${module} PRIVATE ${out})
endfunction()
