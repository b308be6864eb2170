# Writes the files of the dashboard as one C++ file of bytes, in the order of their paths:
#   cmake -DOUT=page_files.cpp "-DFILES=/index.html=…/index.html;/app.js=…/app.js" -P embed_page.cmake
# The answer to "If-None-Match" is the SHA-256 of a file.
cmake_minimum_required(VERSION 3.25)

set(arrays "")
set(rows "")
set(number 0)
list(SORT FILES)
foreach(each IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.+)$" whole "${each}")
  set(name ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  file(SHA256 ${file} sha)
  string(SUBSTRING ${sha} 0 16 sha)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n    ${bytes}\n};\n")
  string(APPEND rows "    {\"${name}\", \"\\\"${sha}\\\"\", {reinterpret_cast<const char*>(kFile${number}), sizeof kFile${number}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_page.cmake of dashboard/*.
#include \"admin/page/page_files.hpp\"

namespace headgate::admin {
namespace {

${arrays}
const PageFile kFiles[] = {
${rows}};

}  // namespace

std::span<const PageFile> page_files() noexcept { return kFiles; }

}  // namespace headgate::admin
")
