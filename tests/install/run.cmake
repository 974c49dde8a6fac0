# Installs a build tree, moves the prefix elsewhere, and builds and runs a consumer against it.
# Usage: cmake -D BUILD_DIR=... -D WORK_DIR=... -D VERSION=... -D GENERATOR=... -D CXX_COMPILER=...
#              [-D BUILD_TYPE=...] [-D SANITIZE=...] -P run.cmake
foreach(variable BUILD_DIR WORK_DIR VERSION GENERATOR CXX_COMPILER)
  if(NOT ${variable})
    message(FATAL_ERROR "run.cmake: ${variable} is not set")
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "'${line}' ended with ${result}")
  endif()
endfunction()

# What an earlier run left must not make this one pass.
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(prefix ${WORK_DIR}/moved)
# The package must not depend on where it was installed first, nor on the source tree.
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed ${prefix})

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK_DIR}/build -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D EXPECTED_VERSION=${VERSION}
  -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_CXX_FLAGS=${flags}
  -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer ${CMAKE_CURRENT_LIST_DIR}/../cases/models/people.json)

# What docs/start/cpp.md shows: from find_package to certified advice in ten lines.
set(readme ${WORK_DIR}/readme)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/start/cpp.md text)
set(shown "")
foreach(language cmake cpp)
  if(NOT text MATCHES "```${language}\n([^`]*)```")
    message(FATAL_ERROR "docs/start/cpp.md has no block of ${language}")
  endif()
  set(${language}_text "${CMAKE_MATCH_1}")
  string(APPEND shown "${CMAKE_MATCH_1}")
endforeach()
string(REGEX REPLACE "\n\n+" "\n" shown "${shown}")
string(REGEX MATCHALL "\n" lines "${shown}")
list(LENGTH lines lines)
if(lines GREATER 10)
  message(FATAL_ERROR "docs/start/cpp.md takes ${lines} lines to certified advice; the README promises 10")
endif()
file(WRITE ${readme}/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.25)\nproject(readme LANGUAGES CXX)\n${cmake_text}")
file(WRITE ${readme}/advise.cpp "${cpp_text}")
file(WRITE ${readme}/people.csv "income,debt,age,home\n40,10,30,rent\n95,0,30,own\n")
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../cases/models/people.json ${readme}/model.json)
run(${CMAKE_COMMAND} -S ${readme} -B ${readme}/build -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
  -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_CXX_FLAGS=${flags}
  -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${readme}/build)
run(${CMAKE_COMMAND} -E chdir ${readme} ${readme}/build/advise)
file(STRINGS ${readme}/advice.csv found REGEX "^0,found,")
if(NOT found)
  file(READ ${readme}/advice.csv advice)
  message(FATAL_ERROR "the program of docs/start/cpp.md should have certified advice for row 0:\n${advice}")
endif()

# The same by pkg-config, which knows no CMake, with the words of docs/reference/cpp.md.
find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB package ${prefix}/lib*/pkgconfig/croco.pc ${prefix}/lib/*/pkgconfig/croco.pc)
  cmake_path(GET package PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder}
    ${pkg_config} --cflags --libs croco OUTPUT_VARIABLE options COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(options UNIX_COMMAND "${options}")
  separate_arguments(extra UNIX_COMMAND "${flags}")
  run(${CXX_COMPILER} ${extra} ${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp -o ${WORK_DIR}/by_pkg_config
    ${options})
  run(${WORK_DIR}/by_pkg_config ${CMAKE_CURRENT_LIST_DIR}/../cases/models/people.json)
endif()

if(NOT EXISTS ${prefix}/bin/croco)
  message(FATAL_ERROR "the program was not installed as ${prefix}/bin/croco")
endif()
run(${prefix}/bin/croco --version)
foreach(file share/doc/croco/README.md share/doc/croco/LICENSE share/doc/croco/CHANGELOG.md
        share/doc/croco/docs/reference/schema.md share/doc/croco/docs/images/trade-off.png
        share/man/man1/croco.1 share/bash-completion/completions/croco
        share/zsh/site-functions/_croco share/fish/vendor_completions.d/croco.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
