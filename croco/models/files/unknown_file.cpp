// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/unknown_file.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/files/model_format.hpp>

namespace croco {
namespace {

/// Enough to find the names of modules in a pickle, or of members in an archive.
constexpr std::size_t kHead = std::size_t{1} << 16;

constexpr std::string_view kScikit =
    "export it: skl2onnx.to_onnx(model, X[:1], options={\"zipmap\": False}) and save its "
    "SerializeToString() as m.onnx";
constexpr std::string_view kXgboost = "save it again: model.save_model(\"m.json\")";
constexpr std::string_view kLightgbm =
    R"(save it again: model.booster_.save_model("m.txt"), or booster.save_model("m.txt"))";
constexpr std::string_view kCatboost =
    R"(save it again: model.save_model("m.json", format="json"))";
constexpr std::string_view kTorch =
    "export it: torch.onnx.export(network, example, \"m.onnx\", external_data=False)";
constexpr std::string_view kKeras =
    "export it: model.export(\"m.onnx\", format=\"onnx\"), or tf2onnx.convert.from_keras(model, "
    "output_path=\"m.onnx\")";
constexpr std::string_view kPython =
    "export the model in it: XGBoost's save_model(\"m.json\"), LightGBM's "
    "booster_.save_model(\"m.txt\"), CatBoost's save_model(\"m.json\", format=\"json\"), "
    "skl2onnx.to_onnx for scikit-learn, torch.onnx.export for PyTorch";

struct Advice {
  std::string_view what;
  std::string_view how;
};

bool has(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

std::string extension_of(const std::string& source) {
  std::string out = std::filesystem::path(source).extension().string();
  std::ranges::transform(out, out.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return out;
}

/// Pickles name the modules of what they hold.
Advice pickle_advice(std::string_view head) {
  constexpr std::string_view kPickle = "a pickle of Python, which runs code when it is read";
  if (has(head, "xgboost")) return {kPickle, kXgboost};
  if (has(head, "lightgbm")) return {kPickle, kLightgbm};
  if (has(head, "catboost")) return {kPickle, kCatboost};
  if (has(head, "torch")) return {kPickle, kTorch};
  if (has(head, "sklearn")) return {kPickle, kScikit};
  return {kPickle, kPython};
}

Advice archive_advice(std::string_view head, const std::string& extension) {
  if (has(head, "data.pkl") || extension == ".pt" || extension == ".pth") {
    return {"a file of PyTorch", kTorch};
  }
  if (extension == ".keras" || has(head, "metadata.json")) return {"a file of Keras", kKeras};
  return {"a ZIP archive", kPython};
}

std::optional<Advice> magic_advice(std::string_view head, const std::string& extension) {
  const auto begins = [&](std::string_view magic) { return head.starts_with(magic); };
  if (head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) {
    return pickle_advice(head);
  }
  if (begins("PK\x03\x04")) return archive_advice(head, extension);
  if (begins("\x89HDF")) return Advice{"an HDF5 file, as Keras saves models", kKeras};
  if (begins("CBM1")) return Advice{"a binary file of CatBoost", kCatboost};
  if (begins("binf")) return Advice{"a binary file of an old XGBoost", kXgboost};
  if (head.size() > 8 && head.substr(4, 4) == "TFL3") {
    return Advice{"a file of TensorFlow Lite",
                  R"(export it: tf2onnx.convert.from_tflite("m.tflite", output_path="m.onnx"))"};
  }
  if (begins("PAR1")) return Advice{"a Parquet table, not a model", "give it as data, in CSV"};
  if (begins("ARROW1")) return Advice{"an Arrow table, not a model", "give it as data, in CSV"};
  if (begins("booster[0]")) return Advice{"a listing of XGBoost (dump_model)", kXgboost};
  const bool packed = begins("\x1f\x8b") || begins("BZh") || begins("\xfd\x37zXZ") ||
                      begins("\x28\xb5\x2f\xfd") || begins("ZF");
  if (packed || (begins("x") && extension == ".joblib")) {
    if (extension == ".joblib" || extension == ".pkl" || extension == ".pickle") {
      return Advice{"a compressed pickle of Python, which runs code when it is read", kPython};
    }
    return Advice{"a compressed file", "unpack it first"};
  }
  return std::nullopt;
}

bool is_text(std::string_view head) {
  return std::ranges::none_of(head, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 && letter != '\n' && letter != '\r' && letter != '\t' && letter != '\f';
  });
}

/// What the name says about bytes that say nothing themselves.
std::optional<Advice> name_advice(const std::string& extension) {
  struct Known {
    std::string_view extension;
    Advice advice;
  };
  constexpr std::array kKnown = {
      Known{".joblib", {"a file of joblib", kPython}},
      Known{".pkl", {"a pickle of Python", kPython}},
      Known{".pickle", {"a pickle of Python", kPython}},
      Known{".cbm", {"a file of CatBoost", kCatboost}},
      Known{".pt", {"a file of PyTorch", kTorch}},
      Known{".pth", {"a file of PyTorch", kTorch}},
      Known{".h5", {"a file of Keras", kKeras}},
      Known{".keras", {"a file of Keras", kKeras}},
      Known{".bst", {"a binary file of XGBoost", kXgboost}},
      Known{".parquet", {"a table, not a model", "give it as data, in CSV"}},
  };
  for (const Known& known : kKnown) {
    if (known.extension == extension) return known.advice;
  }
  return std::nullopt;
}

Advice text_advice(std::string_view head, const std::string& extension) {
  if (has(head, "<PMML")) {
    return {"a PMML document", "export the model from where it was trained, as ONNX"};
  }
  const std::string_view line = head.substr(0, head.find('\n'));
  if (extension == ".csv" || std::ranges::count(line, ',') > 0) {
    return {"a table (CSV), not a model", "give it as --data or --training"};
  }
  if (extension == ".txt") {
    return {"a text, but none that LightGBM's save_model wrote, which begins with 'tree'",
            kLightgbm};
  }
  return {"a text", kPython};
}

[[noreturn]] void refuse(const std::string& source, const Advice& advice) {
  throw ModelError(
      fmt::format("{}: is {}; {}. croco reads ONNX, XGBoost's JSON and UBJSON, LightGBM's text, "
                  "CatBoost's JSON and its own JSON; a model that no file can hold is asked by "
                  "--model-command or "
                  "--model-url",
                  source, advice.what, advice.how));
}

}  // namespace

void require_known_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  std::ifstream file(path, std::ios::binary);
  if (!file) return;
  std::string head(kHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  require_known_content(head, path.string());
}

void require_known_content(std::string_view bytes, const std::string& source) {
  if (bytes.empty()) return;
  const std::string_view head = bytes.substr(0, kHead);
  const std::string extension = extension_of(source);
  if (const auto advice = magic_advice(head, extension)) refuse(source, *advice);
  if (format_of(head) != ModelFormat::croco) return;
  const std::size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool json = first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
  if (json && is_text(head)) return;
  if (const auto advice = name_advice(extension)) refuse(source, *advice);
  if (is_text(head)) refuse(source, text_advice(head, extension));
  refuse(source, {"no model that croco knows", kPython});
}

}  // namespace croco
