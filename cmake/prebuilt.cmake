# What a wheel is made from. CROCO_PREBUILT names the folder of a finished build of this very tree:
# the wheel then holds the library that was tested (tools/wheel.sh).
set(CROCO_PREBUILT "" CACHE PATH "Folder of a finished build whose library is used")
option(CROCO_CURL_AT_RUN_TIME "Find libcurl when it is first used, instead of linking it" OFF)

# Stands in for libcurl where that is not linked.
function(croco_add_curl)
  if(NOT CROCO_CURL_AT_RUN_TIME)
    add_library(croco_curl ALIAS CURL::libcurl)
    return()
  endif()
  add_library(croco_curl STATIC ${PROJECT_SOURCE_DIR}/python/src/curl_at_run_time.cpp)
  target_include_directories(croco_curl SYSTEM PRIVATE ${CURL_INCLUDE_DIRS})
  target_link_libraries(croco_curl PRIVATE croco_flags croco_hardening ${CMAKE_DL_LIBS})
endfunction()

function(croco_use_prebuilt)
  set(library ${CROCO_PREBUILT}/croco/libcroco.a)
  if(NOT EXISTS ${library})
    message(FATAL_ERROR "CROCO_PREBUILT is '${CROCO_PREBUILT}'; there is no croco/libcroco.a in it")
  endif()
  add_library(croco STATIC IMPORTED GLOBAL)
  set_target_properties(croco PROPERTIES IMPORTED_LOCATION ${library}
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/include
    INTERFACE_LINK_LIBRARIES
      "Threads::Threads;croco_curl;fmt::fmt;OpenSSL::Crypto;PkgConfig::HWY;TBB::tbb;ZLIB::ZLIB;PkgConfig::ZSTD")
  add_library(croco::croco ALIAS croco)
endfunction()
