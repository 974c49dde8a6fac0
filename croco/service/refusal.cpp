// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <new>
#include <string>

#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/stopped.hpp>
#include <croco/service/request_error.hpp>
#include <croco/service/service.hpp>

namespace croco {

Refusal refusal_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const BadRequest& fault) {
    return {400, "urn:croco:invalid-argument", "The request cannot be read", fault.what()};
  } catch (const NotFound& fault) {
    return {404, "urn:croco:invalid-argument", "There is no such thing", fault.what()};
  } catch (const InvalidArgument& fault) {
    return {422, "urn:croco:invalid-argument", "The request is impossible", fault.what()};
  } catch (const DataError& fault) {
    return {422, "urn:croco:data", "The data are wrong", fault.what()};
  } catch (const ModelError& fault) {
    return {422, "urn:croco:model", "The model cannot answer this", fault.what()};
  } catch (const Stopped&) {
    return {503, "urn:croco:stopped", "The work was stopped",
            "the work took longer than the time limit of a request, or the program is stopping"};
  } catch (const IoError&) {
    // Its text may name a path or an address.
    return {503, "urn:croco:io", "Something outside of croco failed",
            "the model could not be reached; the log of the program says more"};
  } catch (const std::bad_alloc&) {
    return {503, "urn:croco:busy", "There is not enough memory",
            "the request needs more memory than there is"};
  } catch (...) {
    return {500, "urn:croco:internal", "A fault of the program",
            "croco has made a mistake; please report it"};
  }
}

std::string refusal_json(const Refusal& refusal) {
  const nlohmann::ordered_json out{{"type", refusal.type},
                                   {"title", refusal.title},
                                   {"status", refusal.status},
                                   {"detail", refusal.detail}};
  return json_text(out, -1, BrokenText::replace);
}

}  // namespace croco
