# The Debian package, by CPack: program, library, headers, manual page, completions, documents. The
# page of croco serve and the German Credit data are part of the program. tools/package.sh runs it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME croco)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# Who builds a package answers for it: named by Debian's own variables, or else as git knows them.
set(name "$ENV{DEBFULLNAME}")
set(address "$ENV{DEBEMAIL}")
if("${name}" STREQUAL "")
  execute_process(COMMAND git config --get user.name WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE name OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if("${address}" STREQUAL "")
  execute_process(COMMAND git config --get user.email WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE address OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if("${name}" STREQUAL "")
  set(name "The builder")
endif()
if("${address}" STREQUAL "")
  cmake_host_system_information(RESULT host QUERY FQDN)
  set(address "root@${host}")
endif()
set(CROCO_PACKAGE_CONTACT "${name} <${address}>" CACHE STRING
  "Who answers for the Debian package, as NAME <ADDRESS>; from DEBFULLNAME and DEBEMAIL at first")
set(CPACK_PACKAGE_CONTACT "${CROCO_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};croco;ALL;/")
# Debian's own places and compression for what `make install` puts as it is.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "certified counterfactual recourse")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A classifier has turned somebody down. croco finds the cheapest change that
reverses the decision, and certifies how often the new decision survives when
the person carries out the advice inexactly.
.
This package holds the program with its page, the library with its headers,
the manual page, shell completions and the documents.")
# What the program is linked with, at the versions that it needs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates")
# What a program needs that is linked with the library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "g++ (>= 4:12), libcurl4-openssl-dev, libfmt-dev, libssl-dev, libhwy-dev, libtbb-dev, zlib1g-dev, libzstd-dev")
include(CPack)
