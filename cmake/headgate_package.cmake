# The package for Debian: `cpack` in a build directory, or ./dev deb. The package has the files that `cmake --install` installs with the
# prefix /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME headgate)
set(CPACK_PACKAGE_CONTACT "${HEADGATE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "HTTP gateway that limits how much each caller may request")
set(CPACK_PACKAGE_DESCRIPTION
"It stands in front of HTTP services, identifies the caller, and passes the
request on or answers 429 with the time after which a retry will succeed.
Counters are in its own memory, or in Redis if several gateways must enforce
one limit. One binary, one file; a reload or an upgrade loses no connection.")
# Paths are absolute, because /etc is not below /usr.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_PACKAGE_RELEASE ${HEADGATE_DEBIAN_REVISION})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers | systemd-sysusers, ca-certificates, tzdata")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "logrotate, procps")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "redis-server, prometheus")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/deb/conffiles ${CMAKE_SOURCE_DIR}/packaging/deb/postinst
  ${CMAKE_SOURCE_DIR}/packaging/deb/prerm ${CMAKE_SOURCE_DIR}/packaging/deb/postrm)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
include(CPack)
