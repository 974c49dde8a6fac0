# Installs the library, its headers, the program and the package that find_package(croco) reads.
include(CMakePackageConfigHelpers)

set(CROCO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/croco)

# Before 1.0 every minor version may break the binary interface.
set_target_properties(croco PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS croco EXPORT crocoTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT crocoTargets NAMESPACE croco:: DESTINATION ${CROCO_PACKAGE_DIR})

# A static library leaves its private dependencies to the consumer's linker; a shared one does not.
get_target_property(CROCO_LIBRARY_TYPE croco TYPE)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/crocoConfig.cmake.in
  ${PROJECT_BINARY_DIR}/crocoConfig.cmake INSTALL_DESTINATION ${CROCO_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/crocoConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/crocoConfig.cmake ${PROJECT_BINARY_DIR}/crocoConfigVersion.cmake
  DESTINATION ${CROCO_PACKAGE_DIR})

# pkg-config finds the prefix from its own place, so that an installed tree can be moved.
file(RELATIVE_PATH CROCO_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(CROCO_PC_LIBS "")
if(CROCO_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
  set(CROCO_PC_LIBS " -lcurl -lfmt -lcrypto -lhwy -ltbb -lz -lzstd")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/croco.pc.in ${PROJECT_BINARY_DIR}/croco.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/croco.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET croco_cli)
  # CMake reserves room for a longer run path of the installed program with colons, and an empty
  # entry means the current folder to the loader: a static library needs no run path at all.
  if(CROCO_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
    file(RELATIVE_PATH libraries_from_programs
      ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(croco_cli PROPERTIES INSTALL_RPATH $ORIGIN/${libraries_from_programs})
  else()
    set_target_properties(croco_cli PROPERTIES SKIP_BUILD_RPATH ON)
  endif()
  install(TARGETS croco_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)
    set(generated ${PROJECT_BINARY_DIR}/generated)
    install(FILES ${generated}/croco.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${generated}/croco.bash RENAME croco
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${generated}/_croco DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${generated}/croco.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# In a folder of their own, so that the links between them lead somewhere.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN _static EXCLUDE)
