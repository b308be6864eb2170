# Joins the Lua algorithms into decide.lua and writes the result as a C++ file of bytes, with its SHA-1. Run by headgate_algorithms:
#   cmake -DOUT=decide_script.cpp "-DALGORITHMS=a.lua;b.lua" -DDECIDE=decide.lua -P embed_lua.cmake
cmake_minimum_required(VERSION 3.25)

# Each file ends in `return peek, commit, arguments`, which is a function's last statement here.
foreach(file IN LISTS ALGORITHMS)
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(APPEND branches "if name == '${name}' then\n${text}end\n")
endforeach()

file(READ ${DECIDE} script)
set(marker "  --@algorithms\n")
string(FIND "${script}" "${marker}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${DECIDE} has no line --@algorithms")
endif()
string(REPLACE "${marker}" "${branches}" script "${script}")
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
