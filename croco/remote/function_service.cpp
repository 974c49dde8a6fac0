// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/function_service.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace croco {
namespace {

class FunctionService final : public RowService {
 public:
  explicit FunctionService(ScoreFunction function) : function_(std::move(function)) {}

  void ask(Rows values, MutableView answers) override {
    // What the function leaves unset is no answer.
    std::ranges::fill(answers, std::numeric_limits<double>::quiet_NaN());
    function_(values, answers);
  }

 private:
  ScoreFunction function_;
};

}  // namespace

std::unique_ptr<RowService> call_function(ScoreFunction function) {
  return std::make_unique<FunctionService>(std::move(function));
}

}  // namespace croco
