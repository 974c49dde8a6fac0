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

# croco_build_lightly(<target> <file>...): reads files, writes reports and the like, where optimising
# for speed costs compile time and buys nothing. The arithmetic is the same at every level.
function(croco_build_lightly target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS -O1)
  endif()
endfunction()
