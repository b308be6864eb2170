// No two modules have types of the same name in their headers, public or private.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace headgate::test {
namespace {

/// Returns the types that a header defines in the namespace of its module, and the aliases there.
std::set<std::string> types_in(const std::string& text) {
  static const std::regex definition(
      R"(^(?:(?:class|struct|enum|enum class) (?:\[\[\w+\]\] |alignas\(\w+\) )?(\w+)(?: final)?(?: : .*)?(?: \{.*)?|using (\w+) =.*)$)");
  std::set<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, definition)) out.insert(found[found[1].matched ? 1 : 2]);
  }
  return out;
}

/// Returns for each type its modules, with the header in each.
std::map<std::string, std::map<std::string, std::string>> modules_of_types() {
  std::map<std::string, std::map<std::string, std::string>> out;
  for (const auto& file : source_files({"include", "src"})) {
    if (file.extension() == ".cpp") continue;
    for (const auto& type : types_in(content(file))) out[type].emplace(module_of(file), file.string());
  }
  return out;
}

TEST(TypeNames, AreSharedByNoTwoModules) {
  const auto types = modules_of_types();
  ASSERT_GT(types.size(), 1000U) << "the test has lost sight of the headers";
  for (const auto& [type, modules] : types) {
    if (modules.size() < 2) continue;
    std::string headers;
    for (const auto& [module, header] : modules) headers += "\n  " + header;
    ADD_FAILURE() << type << " is a type of several modules; give one of them another name:" << headers;
  }
}

TEST(TypeNames, AreReadFromDefinitionsAlone) {
  const auto types = types_in(R"(struct Forward;
class One {
struct Two final : Base {
enum class Three : std::uint8_t { a, b };
enum class Four {
struct Empty {};
  struct Nested {
class [[nodiscard]] Five {
struct alignas(64) Six {
enum Seven : std::size_t { c, d };
using Alias = One;
using Long =
using other::Forward;
  using NestedAlias = One;
)");
  EXPECT_EQ(types,
            (std::set<std::string>{"One", "Two", "Three", "Four", "Five", "Six", "Seven", "Empty", "Alias", "Long"}));
}

}  // namespace
}  // namespace headgate::test
