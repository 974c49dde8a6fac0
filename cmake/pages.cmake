# The HTML report page: sources in web/report, bundled by npm's packages into one file at build time.
#
# Included, it defines croco_report_page(), which adds the rules that make CROCO_REPORT_PAGE; call it
# in the folder that embeds the page. Without CROCO_BUILD_PAGES the page is an empty file. Everything
# happens in a copy under the build folder: nothing is written into the source tree.
#
# The same file, run with `cmake -P`, carries out one STEP: `packages` or `bundle`.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(ENV{NO_UPDATE_NOTIFIER} 1)
  if(STEP STREQUAL "packages")
    file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${STAGE})
    execute_process(
      COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error ${NPM_OPTIONS}
      WORKING_DIRECTORY ${STAGE} RESULT_VARIABLE failed OUTPUT_QUIET)
    if(failed)
      message(FATAL_ERROR "npm could not install the packages of the HTML report page (see above); "
        "configure with -DCROCO_BUILD_PAGES=OFF for a program without that page")
    endif()
    file(TOUCH ${STAGE}/packages.stamp)
  elseif(STEP STREQUAL "bundle")
    # Files that were removed must not be checked or tested any more.
    file(REMOVE_RECURSE ${STAGE}/src ${STAGE}/test)
    file(COPY ${SOURCE}/tsconfig.json ${SOURCE}/.prettierignore ${SOURCE}/build.mjs ${SOURCE}/src
      ${SOURCE}/test DESTINATION ${STAGE})
    execute_process(COMMAND ${NODE} build.mjs ${OUTPUT}
      WORKING_DIRECTORY ${STAGE} COMMAND_ERROR_IS_FATAL ANY)
  else()
    message(FATAL_ERROR "pages.cmake: no step is called '${STEP}'")
  endif()
  return()
endif()

set(CROCO_PAGES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
set(CROCO_REPORT_STAGE ${PROJECT_BINARY_DIR}/web/report)
# Two names, so that turning the option around never finds the other's file up to date.
set(CROCO_REPORT_PAGE ${PROJECT_BINARY_DIR}/web/no_report.html)

if(CROCO_BUILD_PAGES)
  set(CROCO_REPORT_PAGE ${PROJECT_BINARY_DIR}/web/report.html)
  find_program(CROCO_NODE NAMES node nodejs DOC "Runs the bundler of the HTML report page")
  find_program(CROCO_NPM NAMES npm DOC "Installs the packages of the HTML report page")
  set(version "")
  if(CROCO_NODE)
    execute_process(COMMAND ${CROCO_NODE} --version OUTPUT_VARIABLE version ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" version "${version}")
  endif()
  if(NOT CROCO_NPM OR NOT version VERSION_GREATER_EQUAL 18)
    message(FATAL_ERROR "The HTML report page is bundled with Node.js 18 or newer and npm; found are "
      "node '${CROCO_NODE}' (version '${version}') and npm '${CROCO_NPM}'. Install them (on Debian: "
      "apt-get install nodejs npm), or configure with -DCROCO_BUILD_PAGES=OFF for a program without "
      "that page")
  endif()
endif()

function(croco_report_page)
  if(NOT CROCO_BUILD_PAGES)
    file(CONFIGURE OUTPUT ${CROCO_REPORT_PAGE} CONTENT "" @ONLY)
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/web/report)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/src/* ${source}/test/*)
  # Only tests need the type checker and the driver of the browser.
  set(npm_options --omit=dev)
  if(CROCO_BUILD_TESTS)
    set(npm_options --include=dev)
  endif()
  add_custom_command(
    OUTPUT ${CROCO_REPORT_STAGE}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -DSTEP=packages -DSOURCE=${source} -DSTAGE=${CROCO_REPORT_STAGE}
            -DNPM=${CROCO_NPM} -DNPM_OPTIONS=${npm_options} -P ${CROCO_PAGES_SCRIPT}
    DEPENDS ${source}/package.json ${source}/package-lock.json ${CROCO_PAGES_SCRIPT}
    COMMENT "Installing the packages of the report page"
    VERBATIM)
  add_custom_command(
    OUTPUT ${CROCO_REPORT_PAGE}
    COMMAND ${CMAKE_COMMAND} -DSTEP=bundle -DSOURCE=${source} -DSTAGE=${CROCO_REPORT_STAGE}
            -DNODE=${CROCO_NODE} -DOUTPUT=${CROCO_REPORT_PAGE} -P ${CROCO_PAGES_SCRIPT}
    DEPENDS ${sources} ${source}/tsconfig.json ${source}/.prettierignore ${source}/build.mjs
            ${CROCO_REPORT_STAGE}/packages.stamp ${CROCO_PAGES_SCRIPT}
    COMMENT "Bundling the report page"
    VERBATIM)
endfunction()
