# Run by CPack in the folder that becomes the Debian package: documents, manual page and changelog as
# Debian's policy has them.
file(GLOB roots LIST_DIRECTORIES true ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr
  ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr)
list(GET roots 0 usr)
set(doc ${usr}/share/doc/croco)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source)

# The licence is part of Debian's own file; the data's is stated in full.
file(REMOVE ${doc}/LICENSE)
configure_file(${source}/cmake/debian_copyright.in ${doc}/copyright COPYONLY)
# Debian's changelog names the versions of the package; ours is beside it.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where that is set
file(WRITE ${doc}/changelog "croco (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
  "  * What changed is in CHANGELOG.md.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
execute_process(COMMAND gzip --best --no-name ${doc}/changelog ${doc}/CHANGELOG.md
  ${usr}/share/man/man1/croco.1 COMMAND_ERROR_IS_FATAL ANY)
# zsh looks for completions of packages here.
file(MAKE_DIRECTORY ${usr}/share/zsh/vendor-completions)
file(RENAME ${usr}/share/zsh/site-functions/_croco ${usr}/share/zsh/vendor-completions/_croco)
file(REMOVE_RECURSE ${usr}/share/zsh/site-functions)
execute_process(COMMAND strip --strip-debug ${usr}/lib/libcroco.a COMMAND_ERROR_IS_FATAL ANY)
# CPack takes the modes as they are, and folders may carry those of whoever built.
execute_process(COMMAND chmod --recursive u=rwX,go=rX ${usr} COMMAND_ERROR_IS_FATAL ANY)
