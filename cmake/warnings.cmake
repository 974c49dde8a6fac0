# Flags that every target of the project is compiled with, and no consumer ever sees.
add_library(croco_flags INTERFACE)
target_compile_options(croco_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
  # Results must not depend on whether the compiler fuses a multiplication and an addition.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's own operator+ (GCC bug 105651).
  target_compile_options(croco_flags INTERFACE -Wno-restrict)
endif()
if(CROCO_WARNINGS_AS_ERRORS)
  target_compile_options(croco_flags INTERFACE -Werror)
endif()
if(CROCO_SANITIZE)
  target_compile_options(croco_flags INTERFACE
    -fsanitize=${CROCO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(croco_flags INTERFACE -fsanitize=${CROCO_SANITIZE})
  target_compile_definitions(croco_flags INTERFACE _GLIBCXX_ASSERTIONS)
endif()
