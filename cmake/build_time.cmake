# What makes builds quick, and changes nothing that they compute.

# A compiler cache and a quick linker, when they are there.
option(CROCO_QUICK_TOOLS "Use ccache, and mold or lld, when they are installed" ON)
if(CROCO_QUICK_TOOLS)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(CROCO_CCACHE ccache)
    if(CROCO_CCACHE)
      # Precompiled headers are only cached when the cache may look past their times and macros.
      set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${CROCO_CCACHE})
    endif()
  endif()
  if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
    foreach(linker mold lld)
      find_program(CROCO_LINKER_${linker} NAMES ld.${linker} ${linker})
      if(CROCO_LINKER_${linker})
        include(CheckLinkerFlag)
        check_linker_flag(CXX -fuse-ld=${linker} CROCO_LINKS_WITH_${linker})
        if(CROCO_LINKS_WITH_${linker})
          add_link_options(-fuse-ld=${linker})
          break()
        endif()
      endif()
    endforeach()
  endif()
endif()

# GCC collects garbage in its own heap every few dozen megabytes, which takes up to a sixth of the time of a
# large file. It may use 256 MB first: a compiler process stays below the 1.5 GB that the Makefile reckons with.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(--param=ggc-min-heapsize=262144 --param=ggc-min-expand=100)
endif()

# Most of the time of a file goes to headers and to templates that its neighbours instantiate as well, so
# several files of a folder are compiled as one: names in anonymous namespaces must differ within a folder.
# Files after SEPARATE are compiled each on its own, as are all with CROCO_UNITY_BUILD=OFF.
#
# croco_build(<file>... [SEPARATE <file>...]): adds files of the current folder to the library that compute.
# Few of them go together, so that an edit of one is soon in the program.
# croco_build_lightly(<file>... [SEPARATE <file>...]): adds files that read files, write reports and the
# like. Optimising them for speed costs compile time and buys nothing; the arithmetic is the same at every level.
option(CROCO_UNITY_BUILD "Compile several files of a folder at once" ON)
# A clean build is quickest with whole folders, an edit with few files: the preset dev takes 8.
set(CROCO_UNITY_LIMIT 24 CACHE STRING "At most this many files that do not compute are compiled at once")
function(croco_build)
  croco_add_together(croco 6 ${ARGN})
endfunction()
function(croco_build_lightly)
  croco_add_together(croco_light ${CROCO_UNITY_LIMIT} ${ARGN})
endfunction()

# croco_add_together(<target> <limit> <file>... [SEPARATE <file>...]): at most <limit> files become one.
function(croco_add_together target limit)
  cmake_parse_arguments(PARSE_ARGV 2 add "" "" "SEPARATE")
  set(together ${add_UNPARSED_ARGUMENTS})
  target_sources(${target} PRIVATE ${together} ${add_SEPARATE})
  list(LENGTH together files)
  if(files EQUAL 0)
    return()
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE folder)
  string(REPLACE "/" "_" folder ${folder})
  math(EXPR groups "(${files} + ${limit} - 1) / ${limit}")
  set(index 0)
  foreach(file IN LISTS together)
    math(EXPR group "${index} * ${groups} / ${files}")
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES
      UNITY_GROUP ${folder}_${group})
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()
