# croco_embed(<target> <variable> <file> [<variable> <file> ...])
#
# Compiles files into a target. Each becomes the byte-exact `const std::string_view <variable>` of
# namespace croco::embedded, in a source that the build regenerates when the file changes. Relative
# paths start at the current source folder. Call it in the folder that creates the target, and that
# holds the rules of files which the build makes first.
#
# The same file, run with `cmake -P`, writes one such source.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  foreach(name IN ITEMS INPUT OUTPUT VARIABLE)
    if(NOT DEFINED ${name})
      message(FATAL_ERROR "embed.cmake: -D${name}=... is missing")
    endif()
  endforeach()
  # Escaping every byte keeps the text exact, whatever quotes, line ends or delimiters it holds.
  file(READ "${INPUT}" bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${bytes}")
  # CMake's regular expressions have no {n}: 24 escapes of four characters fill a line.
  string(REPEAT "." 96 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" escaped "${escaped}")
  get_filename_component(source "${INPUT}" NAME)
  file(WRITE "${OUTPUT}" "// Generated from ${source} by cmake/embed.cmake.
#include <string_view>

namespace croco::embedded {

extern const std::string_view ${VARIABLE};
constinit const std::string_view ${VARIABLE}{
    \"${escaped}\",
    ${size}};

}  // namespace croco::embedded
")
  return()
endif()

set(CROCO_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(croco_embed target)
  set(pairs ${ARGN})
  list(LENGTH pairs count)
  math(EXPR odd "${count} % 2")
  if(count EQUAL 0 OR odd)
    message(FATAL_ERROR
      "croco_embed(${target}): expected pairs of a variable and a file, got '${ARGN}'")
  endif()
  while(pairs)
    list(POP_FRONT pairs variable file)
    if(NOT variable MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
      message(FATAL_ERROR "croco_embed(${target}): '${variable}' is not a C++ identifier")
    endif()
    get_filename_component(input "${file}" ABSOLUTE)
    get_source_file_property(generated "${input}" GENERATED)
    if(NOT generated AND NOT EXISTS "${input}")
      message(FATAL_ERROR "croco_embed(${target}): '${input}' does not exist")
    endif()
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${variable}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DVARIABLE=${variable}
              -P ${CROCO_EMBED_SCRIPT}
      DEPENDS ${input} ${CROCO_EMBED_SCRIPT}
      COMMENT "Embedding ${file}"
      VERBATIM)
    target_sources(${target} PRIVATE ${output})
  endwhile()
endfunction()
