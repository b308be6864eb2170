# headgate_join(TARGET SOURCE...): compiles several sources as one. HEADGATE_UNITY chooses the groups: the sources of one folder, or groups
# of equal size with about that number of sources. The groups are made here, because CMake's own groups depend on its version, and sources
# of one group must not define the same names. The sources of HEADGATE_COUNTED have separate groups, because tests/cost compiles them once
# more, and an object with other sources in it would define those twice.
function(headgate_join target)
  if(NOT HEADGATE_UNITY)
    return()
  endif()
  set(joined "")
  set(counted "")
  foreach(source IN LISTS ARGN)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(source IN_LIST HEADGATE_COUNTED)
      list(APPEND counted ${source})
    elseif(NOT alone)
      list(APPEND joined ${source})
    endif()
  endforeach()
  foreach(part joined counted)
    if(HEADGATE_UNITY STREQUAL "folder")
      headgate_join_folders(${target}_${part} ${${part}})
    else()
      headgate_join_evenly(${target}_${part} ${${part}})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# headgate_join_folders(PREFIX SOURCE...): makes a group for each folder. A name in an unnamed namespace then only needs to be unique in its
# folder.
function(headgate_join_folders prefix)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${prefix}_${folder})
  endforeach()
endfunction()

# headgate_join_evenly(PREFIX SOURCE...): makes groups of equal size, with about HEADGATE_UNITY sources each.
function(headgate_join_evenly prefix)
  list(LENGTH ARGN sources)
  math(EXPR groups "(${sources} + ${HEADGATE_UNITY} / 2) / ${HEADGATE_UNITY}")
  if(groups EQUAL 0)
    set(groups 1)
  endif()
  set(place 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${place} * ${groups} / ${sources}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${prefix}_${group})
    math(EXPR place "${place} + 1")
  endforeach()
endfunction()

# Modules that no request passes are compiled for size, which takes a third less time. The first of them precompiles its headers for size,
# and the others use these.
set(HEADGATE_BESIDE_THE_PATH keyring load notify access_logs config offline translate policy_test services simulate admin server cli)
set(HEADGATE_FOR_SIZE -Os)

# headgate_module(NAME USES module... LIBS target...): makes the library headgate_NAME from all sources in src/NAME.
function(headgate_module name)
  cmake_parse_arguments(arg "" "" "USES;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    add_library(headgate_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    if(name STREQUAL "limit")
      file(GLOB algorithms ${CMAKE_SOURCE_DIR}/src/limit/algorithms/*.cpp)
      set_source_files_properties(${algorithms} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # the algorithms' functions have the same names
    endif()
    add_library(headgate_${name} STATIC ${sources})
    # for the module's private headers: "module/folder/thing.hpp"
    target_include_directories(headgate_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    headgate_join(headgate_${name} ${sources})
    if(name IN_LIST HEADGATE_BESIDE_THE_PATH)
      target_compile_options(headgate_${name} PRIVATE "$<$<CONFIG:Release>:${HEADGATE_FOR_SIZE}>")
    elseif(HEADGATE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC bounds how much one source may grow by inlining. Several sources compiled as one reach that bound. The grouping of the sources
      # would then decide which calls of the path are inlined, and a new file could change the instructions of a request by 2 %.
      # Vectorisation is off, because the loops over short texts and lists gain nothing from it, and it takes a twentieth of the compile
      # time.
      target_compile_options(headgate_${name} PRIVATE
        "$<$<CONFIG:Release>:--param=large-unit-insns=200000;-fno-tree-vectorize>")
    endif()
    set(scope PUBLIC)
  endif()
  add_library(headgate::${name} ALIAS headgate_${name})
  list(TRANSFORM arg_USES PREPEND headgate::)
  target_link_libraries(headgate_${name} ${scope} headgate::options ${arg_USES} ${arg_LIBS})
  if(HEADGATE_SANITIZE MATCHES "undefined" AND sources AND NOT name MATCHES "^(core|http|scan|identity|net|limit|redis)$")
    # These modules do not parse bytes from strangers. The checks take a quarter of the compile time, and AddressSanitizer finds the use of
    # a null pointer without them.
    target_compile_options(headgate_${name} PRIVATE -fno-sanitize=null,alignment,vptr ${HEADGATE_UNGUARDED_GLOBALS})
  endif()
  if(name STREQUAL "shed")
    target_compile_options(headgate_shed PRIVATE -ffp-contract=off)  # tests compare the pictures of its simulation to the last digit
  endif()
  if(HEADGATE_SANITIZE AND name MATCHES "^(limit|shed|balance)$")
    # Tests of these modules run long random histories, which takes minutes. A precompiled header serves only one optimisation level, so
    # these modules have none.
    target_compile_options(headgate_${name} PRIVATE -O1)
  elseif(HEADGATE_PRECOMPILE AND sources)
    set(precompiled core)
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND name IN_LIST HEADGATE_BESIDE_THE_PATH)
      list(GET HEADGATE_BESIDE_THE_PATH 0 precompiled)
    endif()
    if(name STREQUAL precompiled)
      target_precompile_headers(headgate_${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp)
    else()
      target_precompile_headers(headgate_${name} REUSE_FROM headgate_${precompiled})
    endif()
  endif()
endfunction()

# headgate_messages(NAME FILE): makes the library headgate_NAME from the Protocol Buffers in src/FILE.proto. Its code is not ours, so it
# has none of our warnings. A source includes it as "FILE.pb.h".
function(headgate_messages name file)
  set(made ${CMAKE_BINARY_DIR}/messages)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${made}/${folder})
  add_custom_command(OUTPUT ${made}/${file}.pb.cc ${made}/${file}.pb.h
    COMMAND ${HEADGATE_PROTOC} --proto_path=${CMAKE_SOURCE_DIR}/src --cpp_out=${made} ${CMAKE_SOURCE_DIR}/src/${file}.proto
    DEPENDS ${CMAKE_SOURCE_DIR}/src/${file}.proto VERBATIM)
  add_library(headgate_${name} STATIC ${made}/${file}.pb.cc)
  target_include_directories(headgate_${name} SYSTEM PUBLIC ${made})
  target_link_libraries(headgate_${name} PUBLIC PkgConfig::protobuf)
  set_target_properties(headgate_${name} PROPERTIES CXX_STANDARD 20 POSITION_INDEPENDENT_CODE ON
    EXPORT_COMPILE_COMMANDS OFF)  # clang-tidy would take its flags for those of a source with a similar name
endfunction()

# headgate_registry(TARGET NAME TYPE HEADER NAMESPACE SPACE FILE...): adds to TARGET the table NAME() of constants of TYPE. Each FILE
# defines one constant, named like the file, in NAMESPACE::SPACE. SPACE is "" if there is none.
function(headgate_registry target name type header namespace space)
  set(names "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM constant)
    list(APPEND names ${constant})
  endforeach()
  list(SORT names)
  set(declarations "")
  set(addresses "")
  set(inner ${namespace})
  set(prefix "")
  if(space)
    set(inner ${namespace}::${space})
    set(prefix ${space}::)
  endif()
  foreach(constant IN LISTS names)
    string(APPEND declarations "extern const ${type} ${constant};\n")
    string(APPEND addresses "    &${prefix}${constant},\n")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/${target}/${name}.cpp)
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT [[
// Made by cmake/headgate_module.cmake: one row for each file.
#include "@header@"

namespace @inner@ {
@declarations@
}  // namespace @inner@

namespace @namespace@ {
namespace {
const @type@* const kRows[] = {
@addresses@};
}  // namespace

std::span<const @type@* const> @name@() noexcept { return kRows; }

}  // namespace @namespace@
]])
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # a test brings its own
  target_sources(${target} PRIVATE ${out})
endfunction()

# headgate_rows(TARGET MODULE/TABLE TYPE NAME FOLDER...): adds to TARGET the function TABLE() with the constants of src/MODULE/TABLE/*.cpp.
# These constants of TYPE are in the namespace NAME, and headgate/MODULE/NAME.hpp declares the function. Each FOLDER has further constants,
# which TARGET already compiles.
function(headgate_rows target place type name)
  cmake_path(GET place PARENT_PATH module)
  cmake_path(GET place FILENAME table)
  set(code ${CMAKE_SOURCE_DIR}/src/${place}/*.cpp)
  foreach(folder IN LISTS ARGN)
    list(APPEND code ${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${code})
  headgate_registry(${target} ${table} ${type} headgate/${module}/${name}.hpp headgate::${module} ${name} ${sources})
endfunction()

# headgate_families(TARGET HEADER...): adds to TARGET the function families() of headgate/observe/metrics_family.hpp, with the constants in
# headgate/observe/families/HEADER.hpp. Each header of that folder is named, because the output has the order of the names.
function(headgate_families target)
  set(folder headgate/observe/families)
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE headers)
  list(TRANSFORM headers APPEND .hpp)
  file(GLOB present CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/include/${folder}/*.hpp)
  list(REMOVE_ITEM present ${headers})
  if(present)
    message(FATAL_ERROR "The metrics of ${present} have no place in the output: name the header at headgate_families in CMakeLists.txt")
  endif()
  set(collect ${CMAKE_SOURCE_DIR}/cmake/collect_families.cmake)
  set(out ${CMAKE_BINARY_DIR}/generated/${target}/families.cpp)
  list(TRANSFORM headers PREPEND ${CMAKE_SOURCE_DIR}/include/ OUTPUT_VARIABLE sources)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DROOT=${CMAKE_SOURCE_DIR}/include "-DHEADERS=${headers}" -P ${collect}
    DEPENDS ${sources} ${collect} VERBATIM)
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${out})
endfunction()

# headgate_algorithms(TARGET FOLDER...): adds to TARGET the registry of src/limit/algorithms/*.cpp, each of which defines a constant named
# like the file. Also adds the script that is joined from lua/algorithms/*.lua and lua/decide.lua, embedded as bytes. Each FOLDER has
# further algorithms as .cpp and .lua; TARGET already compiles the .cpp files.
function(headgate_algorithms target)
  set(generated ${CMAKE_BINARY_DIR}/generated/${target})
  set(code ${CMAKE_SOURCE_DIR}/src/limit/algorithms/*.cpp)
  set(lua ${CMAKE_SOURCE_DIR}/lua/algorithms/*.lua ${CMAKE_SOURCE_DIR}/lua/in_flight.lua
      ${CMAKE_SOURCE_DIR}/lua/settled_batch.lua ${CMAKE_SOURCE_DIR}/lua/balance.lua ${CMAKE_SOURCE_DIR}/lua/top_up.lua)
  foreach(folder IN LISTS ARGN)
    list(APPEND code ${folder}/*.cpp)
    list(APPEND lua ${folder}/*.lua)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${code})
  headgate_registry(${target} algorithms Algorithm headgate/limit/algorithm.hpp headgate::limit "" ${sources})

  file(GLOB scripts CONFIGURE_DEPENDS ${lua})
  file(GLOB shared CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lua/*.lua)
  set(decide ${CMAKE_SOURCE_DIR}/lua/decide.lua)
  set(embed ${CMAKE_SOURCE_DIR}/cmake/embed_lua.cmake)
  set(writes ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake)
  set(out ${generated}/decide_script.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DALGORITHMS=${scripts}" -DDECIDE=${decide} -P ${embed}
    DEPENDS ${scripts} ${shared} ${embed} ${writes} VERBATIM)
  # a test may replace this file, which has only bytes
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${out})
endfunction()

# headgate_script(TARGET NAME NAMESPACE HEADER): adds to TARGET the script lua/NAME.lua, embedded as bytes. HEADER declares
# NAMESPACE::NAME_script() and NAME_script_sha().
function(headgate_script target name namespace header)
  set(script ${CMAKE_SOURCE_DIR}/lua/${name}.lua)
  set(embed ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake)
  set(out ${CMAKE_BINARY_DIR}/generated/${target}/${name}_script.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSCRIPT=${script} -DNAME=${name}_script -DHEADER=${header} -DNAMESPACE=${namespace}
      -P ${embed}
    DEPENDS ${script} ${embed} VERBATIM)
  # each file defines kScript and has only bytes
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${out})
endfunction()

# headgate_page(TARGET): adds to TARGET the function page_files() with the files of dashboard/* and of the library that draws the plots, as
# Debian packages it.
function(headgate_page target)
  find_file(HEADGATE_DYGRAPHS dygraph.min.js PATHS /usr/share/javascript/dygraphs)
  find_file(HEADGATE_DYGRAPHS_LICENCE copyright PATHS /usr/share/doc/libjs-dygraphs NO_DEFAULT_PATH)
  set(plots ${HEADGATE_DYGRAPHS})
  set(licence ${HEADGATE_DYGRAPHS_LICENCE})
  if(NOT plots OR NOT licence)
    message(WARNING "dygraphs is not here, so the dashboard will have no plots: apt-get install libjs-dygraphs, or ./dev install")
    set(none ${CMAKE_BINARY_DIR}/generated/no_plots)
    file(CONFIGURE OUTPUT ${none}/dygraph.min.js CONTENT "// built without dygraphs\n")
    file(CONFIGURE OUTPUT ${none}/dygraph.min.css CONTENT "/* built without dygraphs */\n")
    file(CONFIGURE OUTPUT ${none}/copyright CONTENT "built without dygraphs\n")
    set(plots ${none}/dygraph.min.js)
    set(licence ${none}/copyright)
  endif()
  cmake_path(GET plots PARENT_PATH folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dashboard/*)
  set(files "")
  foreach(source IN LISTS sources)
    cmake_path(GET source FILENAME name)
    list(APPEND files ${name}=${source})
  endforeach()
  list(APPEND files dygraph.min.js=${plots} dygraph.min.css=${folder}/dygraph.min.css
    dygraphs.txt=${licence})
  set(embed ${CMAKE_SOURCE_DIR}/cmake/embed_page.cmake)
  set(out ${CMAKE_BINARY_DIR}/generated/${target}/page_files.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DFILES=${files}" -P ${embed}
    DEPENDS ${sources} ${plots} ${folder}/dygraph.min.css ${licence} ${embed} VERBATIM)
  # the file has only a hundred thousand numbers
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${out})
endfunction()

# headgate_commit(TARGET): generates commit() of include/headgate/admin/commit.hpp. Without a repository, as in the build of an image,
# HEADGATE_COMMIT gives the commit.
function(headgate_commit target)
  set(HEADGATE_COMMIT "" CACHE STRING "The commit that is built; empty: what git says")
  set(commit "${HEADGATE_COMMIT}")
  if(NOT commit)
    # The owner of the files does not matter, because only the name of the commit is read.
    execute_process(COMMAND git -c safe.directory=* rev-parse --short=12 HEAD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(EXISTS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
    endif()
  endif()
  if(NOT commit MATCHES "^[0-9A-Za-z._-]+$")
    set(commit unknown)
  endif()
  set(out ${CMAKE_BINARY_DIR}/generated/${target}/commit.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT
    "#include \"headgate/admin/commit.hpp\"\n\nnamespace headgate::admin {\n\nstd::string_view commit() noexcept { return \"${commit}\"; }\n\n}  // namespace headgate::admin\n")
  target_sources(${target} PRIVATE ${out})
endfunction()
