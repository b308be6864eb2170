#include "tested_file.hpp"

#include "headgate/core/markup.hpp"
#include "headgate/core/utf8.hpp"

#include <cstdio>

namespace headgate::cli {
namespace {

/// Escapes text for an attribute value or an element. Leaves out control characters, because XML 1.0 has no way to
/// write them.
std::string xml(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    const auto c = static_cast<unsigned char>(text[at]);
    const auto bytes = text.substr(at, length);
    at += length == 0 ? 1 : length;
    if (length == 0 || (c < 0x20 && c != '\n' && c != '\t') || bytes == "\xEF\xBF\xBE" || bytes == "\xEF\xBF\xBF")
      out += '?';
    else
      out += bytes;
  }
  return markup(out);
}

std::string attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + xml(value) + '"';
}

std::string seconds_text(std::chrono::duration<double> time) {
  char out[32];
  std::snprintf(out, sizeof out, "%.6f", time.count());
  return out;
}

std::string place_of(const TestedFile& file, const config::TestPlace& place) {
  return file.path + ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
}

void append_case(const TestedFile& file, const TestedFile::Ran& ran, std::string& out) {
  out += "    <testcase" + attribute("name", ran.test->name.value) + attribute("classname", file.path) +
         attribute("file", file.path) + attribute("line", std::to_string(ran.test->name.place.line)) +
         attribute("time", seconds_text(ran.took));
  if (ran.passed()) {
    out += "/>\n";
    return;
  }
  std::string text;
  for (const auto& each : mistakes_of(ran))
    text += file.path + ':' + std::to_string(each.line) + ':' + std::to_string(each.column) + ": " + each.message +
            '\n' + each.why;
  const auto& first = ran.result.differences.front();
  out += ">\n      <failure" + attribute("message", place_of(file, first.place) + ": " + first.message) + '>' +
         xml(text) + "</failure>\n    </testcase>\n";
}

}  // namespace

std::string junit_text(const std::vector<TestedFile>& files) {
  std::size_t all = 0;
  std::size_t failed = 0;
  std::size_t wrong = 0;
  std::string out;
  for (const auto& file : files) {
    const std::size_t errors = file.wrong.empty() ? 0 : 1;
    const auto cases = file.ran.size() + errors;
    std::chrono::duration<double> took{0};
    for (const auto& ran : file.ran) took += ran.took;
    out += "  <testsuite" + attribute("name", file.path) + attribute("tests", std::to_string(cases)) +
           attribute("failures", std::to_string(file.failed())) + attribute("errors", std::to_string(errors)) +
           attribute("time", seconds_text(took)) + ">\n";
    if (errors > 0)
      out += "    <testcase" + attribute("name", "can be read") + attribute("classname", file.path) +
             ">\n      <error" + attribute("message", "its tests could not run") + '>' + xml(file.wrong) +
             "</error>\n    </testcase>\n";
    for (const auto& ran : file.ran) append_case(file, ran, out);
    out += "  </testsuite>\n";
    all += cases;
    failed += file.failed();
    wrong += errors;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"headgate\"" +
         attribute("tests", std::to_string(all)) + attribute("failures", std::to_string(failed)) +
         attribute("errors", std::to_string(wrong)) + ">\n" + out + "</testsuites>\n";
}

}  // namespace headgate::cli
