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

# croco_build_lightly(<file>... [SEPARATE <file>...]): adds files of the current folder to the library
# that read files, write reports and the like. Optimising them for speed costs compile time and buys
# nothing; the arithmetic is the same at every level. Most of their time is in headers (nlohmann JSON
# above all), so up to eight files of a folder are compiled as one: names in anonymous namespaces must
# differ within a folder. Those after SEPARATE are compiled each on its own, as are all with CROCO_UNITY_BUILD=OFF.
option(CROCO_UNITY_BUILD "Compile several files of a folder at once where headers cost most" ON)
function(croco_build_lightly)
  cmake_parse_arguments(PARSE_ARGV 0 light "" "" "SEPARATE")
  set(together ${light_UNPARSED_ARGUMENTS})
  target_sources(croco_light PRIVATE ${together} ${light_SEPARATE})
  if(NOT together)
    return()
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/croco
    OUTPUT_VARIABLE folder)
  string(REPLACE "/" "_" folder ${folder})
  list(LENGTH together files)
  math(EXPR groups "(${files} + 7) / 8")
  set(index 0)
  foreach(file IN LISTS together)
    math(EXPR group "${index} * ${groups} / ${files}")
    set_source_files_properties(${file} TARGET_DIRECTORY croco_light PROPERTIES
      UNITY_GROUP ${folder}_${group})
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()
