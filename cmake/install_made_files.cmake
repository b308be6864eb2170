# Part of `cmake --install`: installs the files that the program prints, and files that contain paths of other files. headgate_install.cmake
# sets the variables.
set(prefix "${CMAKE_INSTALL_PREFIX}")
file(REMOVE_RECURSE "${made}")
file(MAKE_DIRECTORY "${made}/completion")

function(must_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "this failed (${failed}): ${command}")
  endif()
endfunction()

# Installs files in a directory below the prefix.
function(put destination)
  file(INSTALL DESTINATION "${prefix}/${destination}" TYPE FILE FILES ${ARGN})
endfunction()

must_run(${emulator} "${program}" man --to "${made}/man")
file(GLOB pages "${made}/man/*.1")
foreach(page IN LISTS pages)
  must_run(gzip -9n "${page}")
endforeach()
file(GLOB pages "${made}/man/*.1.gz")
put(${data}/man/man1 ${pages})

# The folder where each shell looks for completions. zsh has one folder for packages and another one for everything else.
set(zsh site-functions)
if(prefix STREQUAL "/usr")
  set(zsh vendor-completions)
endif()
foreach(row "bash;bash-completion/completions;headgate" "zsh;zsh/${zsh};_headgate" "fish;fish/vendor_completions.d;headgate.fish")
  list(GET row 0 shell)
  list(GET row 1 place)
  list(GET row 2 name)
  execute_process(COMMAND ${emulator} "${program}" completion ${shell} OUTPUT_FILE "${made}/completion/${name}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "headgate completion ${shell} failed (${failed})")
  endif()
  put(${data}/${place} "${made}/completion/${name}")
endforeach()

# The program looks for its configuration in /etc, so with a prefix of the system the configuration is there. With any other prefix,
# everything is below the prefix.
if(prefix MATCHES "^/usr(/local)?/?$")
  set(etc /etc)
else()
  set(etc "${prefix}/etc")
endif()
if(NOT prefix STREQUAL "/usr")
  set(units "${prefix}/lib/systemd/system")
endif()
file(READ "${source}/conf/systemd/headgate.service" unit)
string(REPLACE "/usr/bin/headgate" "${prefix}/${bin}/headgate" unit "${unit}")
string(REPLACE "/etc/headgate" "${etc}/headgate" unit "${unit}")
file(WRITE "${made}/headgate.service" "${unit}")
file(INSTALL DESTINATION "${units}" TYPE FILE FILES "${made}/headgate.service" "${source}/conf/systemd/headgate.socket")

# The date is that of SOURCE_DATE_EPOCH, if the variable is set.
string(TIMESTAMP moment "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${made}/changelog.Debian"
  "headgate (${version}-${revision}) stable; urgency=medium\n\n  * headgate ${version}.\n\n -- ${maintainer}  ${moment}\n")
must_run(gzip -9n "${made}/changelog.Debian")
put(${documents} "${made}/changelog.Debian.gz")

# Existing files are never replaced, because somebody may have changed them.
if(NOT EXISTS "$ENV{DESTDIR}${etc}/headgate/headgate.json")
  file(INSTALL DESTINATION "${etc}/headgate" TYPE FILE FILES "${source}/packaging/headgate.json")
endif()
if(NOT EXISTS "$ENV{DESTDIR}${etc}/logrotate.d/headgate")
  file(INSTALL DESTINATION "${etc}/logrotate.d" TYPE FILE FILES "${source}/packaging/headgate.logrotate" RENAME headgate)
endif()

# The bill of materials needs a database of packages.
find_program(dpkg dpkg-query)
if(dpkg)
  must_run("${source}/packaging/sbom.sh" "${program}" "${version}" "${made}/sbom.cdx.json" "${made}/compiled-in")
  put(${documents} "${made}/sbom.cdx.json")
  file(GLOB licences "${made}/compiled-in/*")
  put(${documents}/compiled-in ${licences})
endif()
