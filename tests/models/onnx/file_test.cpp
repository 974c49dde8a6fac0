// SPDX-License-Identifier: Apache-2.0
// The reader of ONNX files on input that nobody wrote in good faith.
#include <croco/models/onnx/file.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/random.hpp>
#include <croco/models/onnx/model.hpp>
#include <tests/fixtures.hpp>
#include <tests/onnx_columns.hpp>

namespace croco::onnx {
namespace {

using fixtures::columns_of;
using fixtures::message_of;
using testing::HasSubstr;

/// Protocol buffers, written.
std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<char>(0x80U | (value & 0x7FU)));
  out.push_back(static_cast<char>(value));
  return out;
}
std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3U) + varint(value);
}
std::string bytes(std::uint32_t field, const std::string& content) {
  return varint(field << 3U | 2U) + varint(content.size()) + content;
}

/// A file around the content of a graph.
std::string file_of(const std::string& graph) {
  return number(1, 8) + bytes(7, graph) + bytes(8, number(2, 17));
}
std::string matrix_value(const std::string& name, std::uint64_t width) {
  const std::string shape = bytes(1, bytes(2, "N")) + bytes(1, number(1, width));
  return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape)));
}
std::string node(const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& output, const std::string& name = "",
                 const std::string& rest = "") {
  std::string out;
  for (const std::string& input : inputs) out += bytes(1, input);
  out += bytes(2, output);
  if (!name.empty()) out += bytes(3, name);
  return bytes(1, out + bytes(4, op) + rest);
}

std::string error_of(const std::string& content) {
  return message_of<ModelError>([&] { return parse_onnx(content, "m.onnx"); });
}

std::string compile_error(const std::string& graph) {
  return message_of<ModelError>([&] {
    const File file = parse_onnx(file_of(graph), "m.onnx");
    return make_model(file, columns_of(file), "m.onnx");
  });
}

const std::string kEnds = bytes(11, matrix_value("x", 2)) + bytes(12, matrix_value("y", 1));

TEST(OnnxFile, RefusesWhatIsNoModel) {
  EXPECT_THAT(error_of(""), HasSubstr("m.onnx: no ONNX model: it has no graph"));
  EXPECT_THAT(error_of(number(1, 8)), HasSubstr("it has no graph"));
  EXPECT_THAT(error_of(number(1, 8) + bytes(7, "")), HasSubstr("names no operator set"));
  EXPECT_THAT(error_of("\x08"), HasSubstr("the bytes end within a number"));
  EXPECT_THAT(error_of(std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)),
              HasSubstr("field 7 says that it has 18446744073709551615 bytes; 0 are left"));
  EXPECT_THAT(error_of(std::string(12, '\xff')), HasSubstr("a number has more than 10 bytes"));
  EXPECT_THAT(error_of(std::string("\x0b")), HasSubstr("field 1 has the wire kind 3"));
  EXPECT_THAT(error_of(std::string("\x00\x01", 2)), HasSubstr("field number 0"));
  EXPECT_THAT(error_of(bytes(1, "text")), HasSubstr("field 1 of a message has the wire kind 2"));
}

TEST(OnnxFile, RefusesTensorsThatDoNotHoldTogether) {
  const auto tensor = [](const std::string& content) {
    return error_of(file_of(bytes(5, content + bytes(8, "w"))));
  };
  EXPECT_THAT(tensor(number(1, 3) + number(2, 1) + bytes(9, std::string(8, '\0'))),
              HasSubstr("the tensor 'w' has 2 values; its shape [3] needs 3"));
  EXPECT_THAT(tensor(number(1, 1) + number(2, 1) + bytes(9, std::string(3, '\0'))),
              HasSubstr("has 3 raw bytes, no multiple of its 4 per element"));
  EXPECT_THAT(tensor(number(2, 99)), HasSubstr("has the element type 99"));
  EXPECT_THAT(tensor(number(1, 1) + number(2, 1) + bytes(13, bytes(1, "location"))),
              HasSubstr("the tensor 'w' has its values in ''"));
  EXPECT_THAT(tensor(number(1, std::uint64_t(-5)) + number(2, 1)), HasSubstr("the dimension -5"));
  const std::string huge = number(1, std::uint64_t{1} << 62U);
  EXPECT_THAT(tensor(huge + huge + number(2, 1)), HasSubstr("more than 67108864 elements"));
}

TEST(OnnxFile, NamesAllOperatorsThatAreMissing) {
  EXPECT_THAT(compile_error(node("Magic", {"x"}, "a", "first") + node("Relu", {"a"}, "b") +
                            node("Wand", {"b"}, "y", "second", bytes(7, "com.example")) + kEnds),
              HasSubstr("m.onnx: 2 of its 3 nodes are operators that croco does not have: Magic "
                        "'first', com.example.Wand 'second'"));
}

TEST(OnnxFile, NamesTheNodeThatCannotBeUsed) {
  EXPECT_THAT(compile_error(node("Gemm", {"x", "x"}, "y", "dense") + kEnds),
              HasSubstr("m.onnx: Gemm 'dense': input 1 ('x') depends on the row"));
  EXPECT_THAT(compile_error(node("Transpose", {"x"}, "y") + kEnds),
              HasSubstr("Transpose (of 'y'): it swaps the rows of a batch"));
  EXPECT_THAT(compile_error(node("Relu", {"nothing"}, "y") + kEnds),
              HasSubstr("the value 'nothing' is read but not made"));
  EXPECT_THAT(compile_error(node("Relu", {"x"}, "x") + node("Relu", {"x"}, "y") + kEnds),
              HasSubstr("the value 'x' is made twice"));
}

TEST(OnnxFile, NeedsAScoreOfTwoClasses) {
  const std::string three =
      node("Concat", {"x", "x"}, "y", "", bytes(5, bytes(1, "axis") + number(3, 1)));
  EXPECT_THAT(compile_error(three + kEnds), HasSubstr("the output 'y' has 4 numbers for each row"));
  EXPECT_THAT(compile_error(node("Relu", {"x"}, "y") + kEnds + bytes(12, matrix_value("x", 2))),
              HasSubstr("the model has 2 outputs of numbers (y, x); croco needs exactly one"));
}

TEST(OnnxFile, AFewBytesCannotAskForAllMemory) {
  const std::string shape =
      node("Constant", {}, "shape", "", bytes(5, bytes(1, "value_ints") + number(8, 1U << 21U)));
  EXPECT_THAT(
      compile_error(shape +
                    node("Constant", {}, "wide", "",
                         bytes(5, bytes(1, "value_ints") + number(8, 1U << 30U))) +
                    node("ConstantOfShape", {"wide"}, "c") + node("Add", {"x", "c"}, "y") + kEnds),
      HasSubstr("a tensor has more than 16777216 elements"));
  std::string many = shape;
  for (int i = 0; i < 20; ++i) {
    many += node("ConstantOfShape", {"shape"}, "c" + std::to_string(i));
    many += node("Add", {i == 0 ? "c0" : "s" + std::to_string(i - 1), "c" + std::to_string(i)},
                 "s" + std::to_string(i));
  }
  EXPECT_THAT(compile_error(many + node("Add", {"x", "s19"}, "y") + kEnds),
              HasSubstr("m.onnx: Add (of 's0'): its result would bring the model to 80.02 MB of "
                        "memory; a model in a file of 1.102 KB may take 64.04 MB"));
}

TEST(OnnxFile, InputsHaveAsManyColumnsAsATable) {
  constexpr std::uint64_t kAll = (std::uint64_t{1} << 63U) - 1;
  const auto read = [](const std::string& ends) {
    return message_of<ModelError>([&] {
      return total_width(parse_onnx(file_of(node("Identity", {"x"}, "y") + ends), "m.onnx"));
    });
  };
  EXPECT_EQ(read(bytes(11, matrix_value("x", kAll))),
            "the input 'x' takes 9223372036854775807 columns for each row; at most 131072 are "
            "allowed");
  EXPECT_EQ(read(bytes(11, matrix_value("x", 100'000)) + bytes(11, matrix_value("z", 100'000))),
            "the inputs take 200000 columns for each row together; at most 131072 are allowed");
}

/// A tensor of two numbers that lie in another file.
std::string external_tensor(const std::string& location, const std::string& offset,
                            const std::string& length) {
  const auto entry = [](const std::string& key, const std::string& value) {
    return bytes(13, bytes(1, key) + bytes(2, value));
  };
  return bytes(5, number(1, 2) + number(2, 1) + bytes(8, "w") + entry("location", location) +
                      entry("offset", offset) + entry("length", length) + number(14, 1));
}

TEST(OnnxFile, ReadsValuesFromTheFileBesideIt) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "croco-onnx-external";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  write_file(folder / "m.data", std::string("....\0\0\x80?\0\0\0@", 12));  // 1 and 2
  const auto read = [&](const std::string& tensor) {
    return parse_onnx(file_of(tensor + node("Mul", {"x", "w"}, "y") + kEnds), "m.onnx", folder);
  };
  const auto refused = [&](const std::string& tensor) {
    return message_of<ModelError>([&] { return read(tensor); });
  };
  const File file = read(external_tensor("m.data", "4", "8"));
  EXPECT_THAT(file.initializers.at(0).numbers, testing::ElementsAre(1.0, 2.0));
  // Another content is another model.
  const std::string before = fingerprint("m", file);
  write_file(folder / "m.data", std::string("....\0\0\0@\0\0\0@", 12));
  EXPECT_NE(fingerprint("m", read(external_tensor("m.data", "4", "8"))), before);

  EXPECT_THAT(refused(external_tensor("m.data", "8", "8")),
              HasSubstr("the tensor 'w' has its values in 'm.data', 8 bytes from place 8 on; the "
                        "file has 12"));
  EXPECT_THAT(refused(external_tensor("m.data", "18446744073709551615", "2")),
              HasSubstr("the file has 12"));
  EXPECT_THAT(refused(external_tensor("m.data", "0", "12")),
              HasSubstr("the tensor 'w' has 3 values; its shape [2] needs 2"));
  EXPECT_THAT(refused(external_tensor("m.data", "-1", "8")),
              HasSubstr("with the offset '-1', which is no number"));
  for (const char* place : {"/etc/passwd", "../m.data", "a/b", "..", ""}) {
    EXPECT_THAT(refused(external_tensor(place, "0", "8")),
                HasSubstr("which is no name of a file in the model's folder"));
  }
  std::filesystem::create_symlink("/etc/hostname", folder / "link");
  EXPECT_THAT(refused(external_tensor("link", "0", "8")),
              HasSubstr("links out of it are not followed"));
  EXPECT_THAT(refused(external_tensor("none", "0", "8")),
              HasSubstr("which is not beside the model; put it there, or save the model as one "
                        "file: torch.onnx.export(..., external_data=False)"));
  EXPECT_THAT(message_of<ModelError>([&] {
                return parse_onnx(file_of(external_tensor("m.data", "4", "8")), "m.onnx");
              }),
              HasSubstr("external_data=False"));
}

TEST(OnnxFile, NoAnswerIsNoYes) {
  // The logarithm of a negative number. The second graph jumps: draws are added to the point first.
  for (const std::string& graph :
       {node("Log", {"x"}, "y"), node("Log", {"x"}, "a") + node("Floor", {"a"}, "y")}) {
    const File file = parse_onnx(file_of(graph + kEnds), "m.onnx");
    const auto model = make_model(file, columns_of(file), "m.onnx").model;
    EXPECT_GT(model->logit(Vector{2, 20}), 0);
    EXPECT_TRUE(std::isnan(model->logit(Vector{1, -30})));
    Matrix draws(2, 2);
    draws[1][1] = -50;
    const Vector point{2, 20};
    // No answer is neither of the classes.
    for (const bool above : {true, false}) {
      std::size_t count = 0;
      std::size_t quick = 0;
      std::vector<PointDraw> undecided;
      const auto bound = model->bind(draws.rows());
      bound->count_failures({point, 2}, Cut{0, above}, {&count, 1}, &undecided);
      bound->count_failures({point, 2}, Cut{0, above}, {&quick, 1}, nullptr);
      EXPECT_EQ(count, above ? 1U : 2U);
      EXPECT_EQ(quick, count);
      EXPECT_TRUE(undecided.empty());
    }
  }
}

/// Files that once broke something stay here: each is a mutation of a golden file.
std::vector<std::string> goldens() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CROCO_GOLDEN_DIR) + "/onnx")) {
    if (entry.path().extension() == ".onnx") out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  return out;
}

/// Reads, compiles and asks: either it works or it throws a ModelError.
bool survives(const std::string& content) {
  try {
    const File file = parse_onnx(content, "mutated");
    const SourceColumns columns = columns_of(file);
    if (columns.width > 4096) return true;
    const CompiledModel bound = make_model(file, columns, "mutated");
    const Vector row(columns.width, 0.25);
    static_cast<void>(bound.model->logit(row));
    if (const Gradient* gradient = bound.model->gradient()) {
      Vector slopes(columns.width);
      gradient->logit_gradient(row, slopes);
    }
  } catch (const ModelError&) {
    return true;
  }
  return true;
}

/// Byte flips, cuts, lengths that lie, pieces put elsewhere.
std::string mutated(std::string content, Sequence& random) {
  const auto below = [&](std::size_t end) {
    return std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(end)), end - 1);
  };
  const std::size_t changes = 1 + below(4);
  for (std::size_t c = 0; c < changes && !content.empty(); ++c) {
    const std::size_t at = below(content.size());
    switch (below(7)) {
      case 0:
        content[at] = static_cast<char>(below(256));
        break;
      case 1:
        content[at] = static_cast<char>(static_cast<unsigned char>(content[at]) ^ (1U << below(8)));
        break;
      case 2:
        content.resize(at);
        break;
      case 3:
        content.insert(at, varint(std::uint64_t{1} << below(64)));
        break;
      case 4:
        content.replace(at, 1, std::string(1 + below(10), '\xff'));
        break;
      case 5:
        content.erase(at, 1 + below(16));
        break;
      default:
        content.insert(at, content.substr(below(content.size()), 1 + below(64)));
        break;
    }
  }
  return content;
}

TEST(OnnxFile, SurvivesMutations) {
  // CROCO_FUZZ_SECONDS makes a long run of it.
  const char* seconds = std::getenv("CROCO_FUZZ_SECONDS");
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  std::vector<std::string> files;
  for (const std::string& path : goldens()) files.push_back(read_file(path));
  ASSERT_FALSE(files.empty());
  std::uint64_t round = 0;
  do {
    for (std::size_t f = 0; f < files.size(); ++f) {
      Sequence random({round, Purpose::train, f});
      for (int trial = 0; trial < 20; ++trial) {
        ASSERT_TRUE(survives(mutated(files[f], random))) << goldens()[f] << ", round " << round;
      }
    }
    ++round;
  } while (std::chrono::steady_clock::now() < end);
}

TEST(OnnxFile, SurvivesEveryTruncation) {
  const std::string content = read_file(std::string(CROCO_GOLDEN_DIR) + "/onnx/torch_softmax.onnx");
  for (std::size_t size = 0; size < content.size(); ++size) {
    ASSERT_TRUE(survives(content.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace croco::onnx
