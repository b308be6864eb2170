# Writes families() of headgate/observe/metrics_family.hpp. Run by headgate_families:
#   cmake -DOUT=families.cpp -DROOT=include -DHEADERS=headgate/observe/families/requests.hpp;... -P collect_families.cmake
# Each constant of the type Family becomes a row, in the order of the headers and of the constants in each.
cmake_minimum_required(VERSION 3.25)

set(includes "")
set(addresses "")
foreach(header IN LISTS HEADERS)
  string(APPEND includes "#include \"${header}\"\n")
  file(STRINGS ${ROOT}/${header} constants REGEX "constexpr Family [a-z0-9_]+")
  foreach(constant IN LISTS constants)
    string(REGEX REPLACE ".*constexpr Family ([a-z0-9_]+).*" "&family::\\1" address "${constant}")
    string(APPEND addresses "    ${address},\n")
  endforeach()
endforeach()
file(WRITE ${OUT} "// Made by cmake/collect_families.cmake of headgate/observe/families/*.hpp.
${includes}
namespace headgate::observe {
namespace {

constexpr const Family* kFamilies[] = {
${addresses}};

}  // namespace

std::span<const Family* const> families() noexcept { return kFamilies; }

}  // namespace headgate::observe
")
