# The compile options of all our targets. Libraries of third parties are imported targets, whose headers count as SYSTEM.
add_library(headgate_options INTERFACE)
add_library(headgate::options ALIAS headgate_options)
target_compile_features(headgate_options INTERFACE cxx_std_20)
target_include_directories(headgate_options INTERFACE ${CMAKE_SOURCE_DIR}/include)
# Optimised builds have no warnings, which would take a fiftieth of their time. The build of the tests stops at a warning, and clang's
# analyzer (./dev lint) follows values further than the compiler does.
target_compile_options(headgate_options INTERFACE
  "$<$<CONFIG:Debug>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wconversion;-Wno-sign-conversion>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # These warnings are false alarms for std::string("x") + y (GCC bug 105651).
  target_compile_options(headgate_options INTERFACE -Wno-restrict -Wno-array-bounds
    "$<$<NOT:$<CONFIG:Debug>>:-Wno-stringop-overflow;-Wno-stringop-overread>")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(headgate_options INTERFACE
    -Wno-dangling-reference  # assumes that a function returns each const reference that it takes
    -Wno-pessimizing-move)  # Boost's result returns its error by value since 1.82, and by reference before
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # This warning believes that a test's inlined operator delete, which counts, does not belong to the operator new next to it.
  target_compile_options(headgate_options INTERFACE "$<$<NOT:$<CONFIG:Debug>>:-Wno-mismatched-new-delete>")
endif()
target_compile_definitions(headgate_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_COROUTINE
  HEADGATE_VERSION="${PROJECT_VERSION}"
  _FILE_OFFSET_BITS=64)  # hiredis needs this; it is set everywhere, because all modules share a precompiled header
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # We build no shared libraries, so -fPIE is enough. With -fPIC, GCC inlines no function that another library might replace.
  set(CMAKE_CXX_COMPILE_OPTIONS_PIC -fPIE)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # The binary has the same bytes wherever the source is (./dev reproduce). Builds for tests keep the paths, because debuggers look for the
  # sources.
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
  # Addresses of functions are resolved at startup and are read-only afterwards, which costs no request any time.
  add_link_options(LINKER:-z,relro,-z,now)
endif()

option(HEADGATE_WERROR "Treat warnings as errors" OFF)
if(HEADGATE_WERROR)
  target_compile_options(headgate_options INTERFACE -Werror)
endif()

set(HEADGATE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")
if(HEADGATE_SANITIZE)
  add_compile_options(-fsanitize=${HEADGATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HEADGATE_SANITIZE})
  # The program has a fixed address: the million and a half relocations of a sanitized headgate took half of its startup time, and the tests
  # start it thousands of times.
  if(NOT HEADGATE_SANITIZE MATCHES "thread")
    add_link_options(-no-pie)
  endif()
  find_program(LLD ld.lld)
  if(LLD)  # lld is faster, and a sanitized program has a hundred megabytes
    add_link_options(-fuse-ld=lld)
  endif()
  if(HEADGATE_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # Asio uses fences, but locks protect the same data
  endif()
  # For sources that do not parse bytes from strangers, and for tests. The memory that AddressSanitizer keeps around each of their constants
  # was 20 of the 47 MB of headgate's data, and took a fifth of a start (51 ms of CPU time; 40 without).
  if(HEADGATE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(HEADGATE_UNGUARDED_GLOBALS --param=asan-globals=0)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fno-sanitize=function)  # clang before 17 cannot put the prologue of this check into a coroutine
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # otherwise the collector often walks all precompiled data, which takes a twentieth of the time
  add_compile_options(--param=ggc-min-heapsize=1048576)
endif()

option(HEADGATE_PRECOMPILE "Precompile the headers that most files include" ON)

# Many sources are compiled as one, so that the headers that they share are read once and their templates are made once. This halves the
# time of a build. With groups of 25, a build from scratch takes a sixth more time, and a build after a change of one file takes less. With
# a group for each folder, names must only be unique in their folder, but a build takes half as long again (a release: 538 s of CPU time
# instead of 350), and a request takes up to 0.6 % more instructions (measured on 2026-11-28). Each source still includes what it uses:
# ./dev lint compiles each changed source alone, and ./dev lint --all compiles every source alone.
set(HEADGATE_UNITY 100 CACHE STRING
  "About how many sources of a target are compiled as one; 0: each alone; folder: those of one folder")
if(NOT HEADGATE_UNITY MATCHES "^([0-9]+|folder)$")
  message(FATAL_ERROR "HEADGATE_UNITY is ${HEADGATE_UNITY}, and must be a number or \"folder\"")
endif()
if(HEADGATE_UNITY)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)  # this warning treats a source that another one includes as a header
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # without this, ccache cannot look into a precompiled header
endif()
