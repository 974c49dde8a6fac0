# The Python package, where its interpreter has nanobind (tools/python_env.sh); else a test that is
# skipped says what is missing.
if(NOT SKBUILD)
  set(CROCO_PYTHON ${PROJECT_SOURCE_DIR}/build/python-env/bin/python CACHE FILEPATH
    "Interpreter that the Python package is built and tested with")
  set(Python_EXECUTABLE ${CROCO_PYTHON})
  execute_process(COMMAND ${CROCO_PYTHON} -c "import nanobind, nanobind_backend"
    RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
  if(missing)
    message(STATUS "The Python package is left out: ${CROCO_PYTHON} has no nanobind "
      "(tools/python_env.sh build/python-env makes it)")
    if(CROCO_BUILD_TESTS)
      add_test(NAME python COMMAND ${CMAKE_COMMAND} -E echo
        "skipped: the Python package was left out, because ${CROCO_PYTHON} has no nanobind")
      set_tests_properties(python PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
    endif()
    return()
  endif()
endif()
add_subdirectory(python)
if(CROCO_BUILD_TESTS)
  add_test(NAME python COMMAND ${CROCO_PYTHON} -B -m pytest -q -p no:cacheprovider
    ${PROJECT_SOURCE_DIR}/python/tests)
  # The longest test of the fast set begins first.
  set_tests_properties(python PROPERTIES TIMEOUT 600 COST 100
    ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;CROCO_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  # Long runs and the notebooks, as far as the packages that they need are installed.
  add_test(NAME python.slow COMMAND ${CROCO_PYTHON} -B -m pytest -q -p no:cacheprovider -m slow
    ${PROJECT_SOURCE_DIR}/python/tests)
  set_tests_properties(python.slow PROPERTIES TIMEOUT 600 LABELS slow
    ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;CROCO_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endif()
