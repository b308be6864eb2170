# headgate_discover_suites(PROGRAM LABEL): makes each suite of a GoogleTest program a test of ctest with the name of the suite. Its output
# names the single tests. A process for each single test would take longer to start than most tests take to run.
#
# A suite counts as skipped if the last lines of its output list skipped tests. Failed tests are listed after skipped ones, so a skip hides
# no failure.
function(headgate_discover_suites program label)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
  file(GENERATE OUTPUT ${file} CONTENT "
set(program \"$<TARGET_FILE:${program}>\")
set(label ${label})
include(\"${PROJECT_SOURCE_DIR}/cmake/add_suites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()
