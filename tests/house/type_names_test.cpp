// One type for one name: no two modules have public types of the same name.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace headgate::test {
namespace {

/// The types that a header defines in the namespace of its module.
std::set<std::string> types_in(const std::string& text) {
  static const std::regex definition(
      R"(^(?:class|struct|enum class) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : .*)?(?: \{.*)?$)");
  std::set<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, definition)) out.insert(found[1]);
  }
  return out;
}

/// The modules of each public type.
std::map<std::string, std::set<std::string>> modules_of_types() {
  std::map<std::string, std::set<std::string>> out;
  for (const auto& file : source_files({"include"}))
    for (const auto& type : types_in(content(file))) out[type].insert(module_of(file));
  return out;
}

TEST(TypeNames, AreSharedByNoTwoModules) {
  const auto types = modules_of_types();
  ASSERT_GT(types.size(), 200U) << "the test has lost sight of the headers";
  for (const auto& [type, modules] : types) {
    if (modules.size() < 2) continue;
    ADD_FAILURE() << type << " is a type of " << *modules.begin() << " and of " << *modules.rbegin();
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
using Alias = One;
)");
  EXPECT_EQ(types, (std::set<std::string>{"One", "Two", "Three", "Four", "Five", "Empty"}));
}

}  // namespace
}  // namespace headgate::test
