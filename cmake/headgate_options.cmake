# What every target of ours is compiled with; third parties are imported targets and so SYSTEM.
add_library(headgate_options INTERFACE)
add_library(headgate::options ALIAS headgate_options)
target_compile_features(headgate_options INTERFACE cxx_std_20)
target_include_directories(headgate_options INTERFACE ${CMAKE_SOURCE_DIR}/include)
# An optimised build does not warn, which would be a fiftieth of its time: the build of the tests stops at a warning, and clang's analyzer
# (./dev lint) follows values further than the compiler does.
target_compile_options(headgate_options INTERFACE
  "$<$<CONFIG:Debug>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wconversion;-Wno-sign-conversion>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on std::string("x") + y (GCC bug 105651).
  target_compile_options(headgate_options INTERFACE -Wno-restrict -Wno-array-bounds
    "$<$<NOT:$<CONFIG:Debug>>:-Wno-stringop-overflow;-Wno-stringop-overread>")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(headgate_options INTERFACE
    -Wno-dangling-reference  # takes any const reference in for one given back
    -Wno-pessimizing-move)   # an error of Boost's result is given back by value since 1.82, and by reference before
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Takes a test's counting operator delete, inlined, for one that does not go with the operator new beside it.
  target_compile_options(headgate_options INTERFACE "$<$<NOT:$<CONFIG:Debug>>:-Wno-mismatched-new-delete>")
endif()
target_compile_definitions(headgate_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_COROUTINE
  HEADGATE_VERSION="${PROJECT_VERSION}"
  _FILE_OFFSET_BITS=64)  # hiredis asks for it; the same everywhere, as one precompiled header serves all
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # No library of ours is shared. With -fPIC GCC inlines no function that another library might replace.
  set(CMAKE_CXX_COMPILE_OPTIONS_PIC -fPIE)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # The same bytes wherever the source lies (./dev reproduce). Not in builds for tests, whose debuggers look for the sources.
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
  # Addresses of functions are found at the start and cannot be written afterwards; no request pays for it.
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
  # At a fixed address: the million and a half relocations of a sanitized headgate were half of its start, and the tests start it
  # thousands of times.
  if(NOT HEADGATE_SANITIZE MATCHES "thread")
    add_link_options(-no-pie)
  endif()
  find_program(LLD ld.lld)
  if(LLD)  # a sanitized program is a hundred megabytes
    add_link_options(-fuse-ld=lld)
  endif()
  if(HEADGATE_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # Asio has fences; what it orders is under locks as well
  endif()
  # For sources that parse no bytes of a stranger, and for tests: what AddressSanitizer keeps around each of their constants was 20 of
  # the 47 MB of data of headgate, and a fifth of what a start takes (51 ms of CPU time; 40 without).
  if(HEADGATE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(HEADGATE_UNGUARDED_GLOBALS --param=asan-globals=0)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fno-sanitize=function)  # clang before 17 cannot put its prologue into a coroutine
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=1048576)  # else it often walks all that was precompiled: a twentieth of the time
endif()

option(HEADGATE_PRECOMPILE "Precompile the headers that most files include" ON)

# Many sources are compiled as one, so that the headers they share are read once, and their templates made once: half of the time.
# In groups of 25 it takes a sixth more from nothing, and less where one file has changed. Groups of one folder, in which names must
# be unique in their folder only, take half as long again (a release: 538 s of CPU instead of 350), and a request takes up to 0.6 %
# more instructions (measured on 2026-11-28). Each source still includes what it uses: ./dev lint compiles alone what changed,
# ./dev lint --all every source.
set(HEADGATE_UNITY 100 CACHE STRING
  "About how many sources of a target are compiled as one; 0: each alone; folder: those of one folder")
if(NOT HEADGATE_UNITY MATCHES "^([0-9]+|folder)$")
  message(FATAL_ERROR "HEADGATE_UNITY is ${HEADGATE_UNITY}, and must be a number or \"folder\"")
endif()
if(HEADGATE_UNITY)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)  # takes a source within another for a header
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # without it ccache cannot look into a precompiled header
endif()
