# Joins the Lua algorithms into decide.lua and writes the result as a C++ file of bytes, with its SHA-1. Run by headgate_algorithms:
#   cmake -DOUT=decide_script.cpp "-DALGORITHMS=a.lua;b.lua" -DDECIDE=decide.lua -P embed_lua.cmake
cmake_minimum_required(VERSION 3.25)

# In text, what stands behind the line of `mark`, and before the next one if there is one.
function(part_of text file mark out)
  string(FIND "${text}" "--@${mark}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${file} has no line --@${mark}")
  endif()
  string(LENGTH "--@${mark}\n" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 rest)
  string(FIND "${rest}" "--@" end)
  string(SUBSTRING "${rest}" 0 ${end} part)
  set(${out} "${part}" PARENT_SCOPE)
endfunction()

# In text, the parts of other files beside decide.lua that its lines `--+<file> <part>` ask for.
function(with_shared text out)
  while(text MATCHES "--\\+([a-z_]+) ([a-z]+)\n")
    set(line "${CMAKE_MATCH_0}")
    set(mark ${CMAKE_MATCH_2})
    cmake_path(GET DECIDE PARENT_PATH folder)
    set(file ${folder}/${CMAKE_MATCH_1}.lua)
    file(READ ${file} shared)
    part_of("${shared}" ${file} ${mark} part)
    string(REPLACE "${line}" "${part}" text "${text}")
  endwhile()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

file(READ ${DECIDE} script)
foreach(mark IN ITEMS peek commit)
  part_of("${script}" ${DECIDE} ${mark} unused)
  set(branches "")
  foreach(file IN LISTS ALGORITHMS)
    cmake_path(GET file STEM name)
    file(READ ${file} text)
    part_of("${text}" ${file} ${mark} part)
    with_shared("${part}" part)
    string(APPEND branches "if name == '${name}' then\n${part}end\n")
  endforeach()
  string(REPLACE "--@${mark}\n" "\n${branches}" script "${script}")
endforeach()
file(WRITE ${OUT}.lua "${script}")

file(SHA1 ${OUT}.lua sha)
file(READ ${OUT}.lua bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "// Made by cmake/embed_lua.cmake of lua/*.lua.
#include \"headgate/limit/script.hpp\"

namespace headgate::limit {
namespace {

constexpr unsigned char kScript[] = {
    ${bytes}
};

}  // namespace

std::string_view decide_script() noexcept { return {reinterpret_cast<const char*>(kScript), sizeof kScript}; }
std::string_view decide_script_sha() noexcept { return \"${sha}\"; }

}  // namespace headgate::limit
")
