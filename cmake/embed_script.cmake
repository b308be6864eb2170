# Writes one Lua script as a C++ file of bytes, with its SHA-1: NAME() is the text, NAME_sha() the SHA-1. HEADER declares both in NAMESPACE.
# Other files include it for its function, and headgate_script runs it: cmake -DOUT=shared_log_script.cpp -DSCRIPT=shared_log.lua
# -DNAME=shared_log_script -DHEADER=... -DNAMESPACE=... -P embed_script.cmake

function(embed_script text out name header namespace)
  file(WRITE ${out}.lua "${text}")
  file(SHA1 ${out}.lua sha)
  file(READ ${out}.lua bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(WRITE ${out} "// Made by cmake/embed_script.cmake of lua/*.lua.
#include \"${header}\"

namespace ${namespace} {
namespace {

constexpr unsigned char kScript[] = {
    ${bytes}
};

}  // namespace

std::string_view ${name}() noexcept { return {reinterpret_cast<const char*>(kScript), sizeof kScript}; }
std::string_view ${name}_sha() noexcept { return \"${sha}\"; }

}  // namespace ${namespace}
")
endfunction()

if(DEFINED SCRIPT)
  cmake_minimum_required(VERSION 3.25)
  file(READ ${SCRIPT} text)
  embed_script("${text}" ${OUT} ${NAME} ${HEADER} ${NAMESPACE})
endif()
