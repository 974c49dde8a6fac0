# The HTML pages: sources in web, bundled by npm's packages into one file each at build time.
#
# Included, it defines croco_report_page() and croco_app_page(), which add the rules that make
# CROCO_REPORT_PAGE (web/report) and CROCO_APP_PAGE (web/app); call them in the folder that embeds the
# pages. Without CROCO_BUILD_PAGES a page is an empty file. Everything happens in a copy under the build
# folder: nothing is written into the source tree.
#
# The same file, run with `cmake -P`, carries out one STEP: `packages`, `sources` or `bundle`.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(ENV{NO_UPDATE_NOTIFIER} 1)
  if(STEP STREQUAL "packages")
    file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${STAGE})
    execute_process(
      COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error ${NPM_OPTIONS}
      WORKING_DIRECTORY ${STAGE} RESULT_VARIABLE failed OUTPUT_QUIET)
    if(failed)
      message(FATAL_ERROR "npm could not install the packages of the HTML pages (see above); "
        "configure with -DCROCO_BUILD_PAGES=OFF for a program without these pages")
    endif()
    file(TOUCH ${STAGE}/packages.stamp)
  elseif(STEP STREQUAL "sources")
    # Files that were removed must not be checked or tested any more.
    foreach(folder shared test report app)
      file(REMOVE_RECURSE ${STAGE}/${folder})
      file(COPY ${SOURCE}/${folder} DESTINATION ${STAGE})
    endforeach()
    file(COPY ${SOURCE}/tsconfig.json ${SOURCE}/.prettierignore ${SOURCE}/build.mjs
      DESTINATION ${STAGE})
    file(TOUCH ${STAGE}/sources.stamp)
  elseif(STEP STREQUAL "bundle")
    execute_process(COMMAND ${NODE} build.mjs ${PAGE} ${OUTPUT}
      WORKING_DIRECTORY ${STAGE} COMMAND_ERROR_IS_FATAL ANY)
  else()
    message(FATAL_ERROR "pages.cmake: no step is called '${STEP}'")
  endif()
  return()
endif()

set(CROCO_PAGES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
set(CROCO_PAGES_STAGE ${PROJECT_BINARY_DIR}/web/pages)
# Two names, so that turning the option around never finds the other's file up to date.
set(CROCO_REPORT_PAGE ${PROJECT_BINARY_DIR}/web/no_report.html)
set(CROCO_APP_PAGE ${PROJECT_BINARY_DIR}/web/no_app.html)

if(CROCO_BUILD_PAGES)
  set(CROCO_REPORT_PAGE ${PROJECT_BINARY_DIR}/web/report.html)
  set(CROCO_APP_PAGE ${PROJECT_BINARY_DIR}/web/app.html)
  find_program(CROCO_NODE NAMES node nodejs DOC "Runs the bundler of the HTML pages")
  find_program(CROCO_NPM NAMES npm DOC "Installs the packages of the HTML pages")
  set(version "")
  if(CROCO_NODE)
    execute_process(COMMAND ${CROCO_NODE} --version OUTPUT_VARIABLE version ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" version "${version}")
  endif()
  if(NOT CROCO_NPM OR NOT version VERSION_GREATER_EQUAL 18)
    message(FATAL_ERROR "The HTML pages are bundled with Node.js 18 or newer and npm; found are "
      "node '${CROCO_NODE}' (version '${version}') and npm '${CROCO_NPM}'. Install them (on Debian: "
      "apt-get install nodejs npm), or configure with -DCROCO_BUILD_PAGES=OFF for a program without "
      "these pages")
  endif()
endif()

# Packages and sources, which all pages share.
function(croco_page_stage)
  if(TARGET croco_pages_stage)
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/web)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/shared/* ${source}/test/* ${source}/report/*
    ${source}/app/*)
  # Only tests need the type checker and the driver of the browser.
  set(npm_options --omit=dev)
  if(CROCO_BUILD_TESTS)
    set(npm_options --include=dev)
  endif()
  add_custom_command(
    OUTPUT ${CROCO_PAGES_STAGE}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -DSTEP=packages -DSOURCE=${source} -DSTAGE=${CROCO_PAGES_STAGE}
            -DNPM=${CROCO_NPM} -DNPM_OPTIONS=${npm_options} -P ${CROCO_PAGES_SCRIPT}
    DEPENDS ${source}/package.json ${source}/package-lock.json ${CROCO_PAGES_SCRIPT}
    COMMENT "Installing the packages of the pages"
    VERBATIM)
  add_custom_command(
    OUTPUT ${CROCO_PAGES_STAGE}/sources.stamp
    COMMAND ${CMAKE_COMMAND} -DSTEP=sources -DSOURCE=${source} -DSTAGE=${CROCO_PAGES_STAGE}
            -P ${CROCO_PAGES_SCRIPT}
    DEPENDS ${sources} ${source}/tsconfig.json ${source}/.prettierignore ${source}/build.mjs
            ${CROCO_PAGES_SCRIPT}
    COMMENT "Copying the sources of the pages"
    VERBATIM)
  add_custom_target(croco_pages_stage
    DEPENDS ${CROCO_PAGES_STAGE}/packages.stamp ${CROCO_PAGES_STAGE}/sources.stamp)
endfunction()

function(croco_page_rules name output)
  if(NOT CROCO_BUILD_PAGES)
    file(CONFIGURE OUTPUT ${output} CONTENT "" @ONLY)
    return()
  endif()
  croco_page_stage()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSTEP=bundle -DSTAGE=${CROCO_PAGES_STAGE} -DNODE=${CROCO_NODE}
            -DPAGE=${name} -DOUTPUT=${output} -P ${CROCO_PAGES_SCRIPT}
    DEPENDS ${CROCO_PAGES_STAGE}/packages.stamp ${CROCO_PAGES_STAGE}/sources.stamp
            ${CROCO_PAGES_SCRIPT}
    COMMENT "Bundling the page ${name}"
    VERBATIM)
endfunction()

# The page of `croco reproduce`.
function(croco_report_page)
  croco_page_rules(report ${CROCO_REPORT_PAGE})
endfunction()

# The page of `croco serve`.
function(croco_app_page)
  croco_page_rules(app ${CROCO_APP_PAGE})
endfunction()
