# headgate_discover_suites(PROGRAM LABEL): each suite of a GoogleTest program is one test of ctest, by the suite's name; what it
# prints names the single tests. A process for each single test took longer to start than most of them run.
#
# A suite counts as skipped where the last lines list skipped tests. Failed ones are listed behind those, so that a skip hides none.
function(headgate_discover_suites program label)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
  file(GENERATE OUTPUT ${file} CONTENT "
set(program \"$<TARGET_FILE:${program}>\")
set(label ${label})
include(\"${PROJECT_SOURCE_DIR}/cmake/add_suites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()
