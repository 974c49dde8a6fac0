# Protections for a library and a program that read files of strangers: model files, data,
# certificates. They are for optimised builds; sanitizers check more, and do not go with all of them.
option(CROCO_HARDEN "Protect optimised builds against memory errors" ON)
add_library(croco_hardening INTERFACE)
set(CROCO_HARDENED OFF)
if(NOT CROCO_HARDEN OR CROCO_SANITIZE OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$")
  return()
endif()
set(CROCO_HARDENED ON)

include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

function(croco_harden_by flag)
  string(MAKE_C_IDENTIFIER "CROCO_HAS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(croco_hardening INTERFACE ${flag})
  endif()
endfunction()

croco_harden_by(-fstack-protector-strong)
croco_harden_by(-fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
  croco_harden_by(-fcf-protection)
endif()
# Some distributions define it on their own.
target_compile_options(croco_hardening INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
target_link_options(croco_hardening INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
