// Implements headgate test: policy tests, on a clock that only the tests advance.

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "tested_file.hpp"

#include "headgate/admin/explain_json.hpp"
#include "headgate/core/replace_file.hpp"
#include "headgate/observe/logs.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headgate::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct TestOptions {
  std::vector<std::string> paths;
  std::string filter;
  std::string junit;
  bool json = false;
};

constexpr std::string_view kEnding = ".test.json";

/// Returns all test files in a folder and its subfolders, sorted.
std::vector<std::string> tests_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code ec;
  fs::recursive_directory_iterator each(folder, fs::directory_options::skip_permission_denied, ec);
  for (; !ec && each != fs::recursive_directory_iterator(); each.increment(ec)) {
    std::error_code gone;  // a broken link must not stop the search
    if (each->path().string().ends_with(kEnding) && each->is_regular_file(gone)) out.push_back(each->path().string());
  }
  std::ranges::sort(out);
  return out;
}

int complain_of_tests(const std::string& sentence, const std::string& help) {
  std::fprintf(stderr, "headgate: %s\n  help: %s\n", printable(sentence).c_str(), printable(help).c_str());
  return kWrongCommandLine;
}

void print_tests_of(const TestedFile& file, bool colours) {
  const auto painted = [colours](const char* text, const char* colour) {
    return colours ? std::string("\x1b[") + colour + "m" + text + "\x1b[0m" : std::string(text);
  };
  std::string out = printable(file.path) + '\n';
  std::vector<config::Diagnostic> mistakes;
  for (const auto& ran : file.ran) {
    out += "  " + (ran.passed() ? painted("ok    ", "32") : painted("FAILED", "31")) + "  " +
           printable(ran.test->name.value) + '\n';
    for (auto& each : mistakes_of(ran)) mistakes.push_back(std::move(each));
  }
  if (!mistakes.empty()) out += '\n' + config::render_each(mistakes, file.path, file.text);
  std::fputs(out.c_str(), stdout);
}

Json json_of_tests(const TestedFile& file) {
  Json tests = Json::array();
  for (const auto& ran : file.ran) {
    Json differences = Json::array();
    for (const auto& each : ran.result.differences)
      differences.push_back({{"line", each.place.line},
                             {"column", each.place.column},
                             {"pointer", each.place.pointer},
                             {"message", each.message}});
    Json test{{"name", ran.test->name.value},
              {"line", ran.test->name.place.line},
              {"passed", ran.passed()},
              {"requests", ran.result.requests},
              {"lasted", std::chrono::duration<double>(ran.result.lasted).count()},
              {"differences", std::move(differences)}};
    if (const auto& why = ran.result.why) test["why"] = admin::to_json(why->told, why->candidates);
    tests.push_back(std::move(test));
  }
  Json out{{"file", file.path}, {"tests", std::move(tests)}};
  if (!file.wrong.empty()) out["error"] = file.wrong;
  return out;
}

void print_tests_json(const std::vector<TestedFile>& files, std::size_t all, std::size_t failed) {
  Json list = Json::array();
  for (const auto& file : files) list.push_back(json_of_tests(file));
  const Json out{{"tests", all}, {"failed", failed}, {"files", std::move(list)}};
  std::puts(printable_json(out.dump(2, ' ', false, Json::error_handler_t::replace)).c_str());
}

std::string summary(std::size_t all, std::size_t files, std::size_t failed, std::size_t wrong) {
  auto out = (all == 0 ? "no test" : how_many_of(all, "test")) + " in " + how_many_of(files, "file");
  if (all == 1)
    out += failed == 0 ? ": it holds" : ": it does not hold";
  else if (all > 1)
    out += failed == 0     ? ": all hold"
           : failed == all ? ": none holds"
                           : ": " + std::to_string(failed) + (failed == 1 ? " does not hold" : " do not hold");
  if (wrong > 0) out += "; " + how_many_of(wrong, "file") + (wrong == 1 ? " has mistakes" : " have mistakes");
  return out;
}

int test(const TestOptions& options) {
  std::vector<std::string> paths;
  for (const auto& path : options.paths) {
    std::error_code ec;
    if (!fs::is_directory(path, ec)) {
      paths.push_back(path);
      continue;
    }
    const auto found = tests_in(path);
    if (found.empty())
      return complain_of_tests("no file in " + path + " ends with " + std::string(kEnding),
                               "name the file of tests itself");
    paths.insert(paths.end(), found.begin(), found.end());
  }
  observe::LogOptions nowhere;  // nothing is logged, because suspensions in a test concern nobody
  nowhere.access = nowhere.error = "off";
  const observe::Logs silent(nowhere);
  std::vector<TestedFile> files;
  std::size_t all = 0;
  std::size_t failed = 0;
  std::size_t wrong = 0;
  for (const auto& path : paths) {
    auto file = run_file(path, options.filter);
    wrong += file.wrong.empty() ? 0 : 1;
    all += file.ran.size();
    failed += file.failed();
    if (!options.json && !file.ran.empty()) print_tests_of(file, stdout_has_colours());
    if (!file.wrong.empty()) {
      std::fflush(stdout);  // keeps the order of stdout and stderr on a terminal
      std::fputs(file.wrong.c_str(), stderr);
    }
    files.push_back(std::move(file));
  }
  if (!options.junit.empty())
    if (const auto why = replace_file(options.junit, junit_text(files))) {
      std::fprintf(stderr, "headgate: %s\n", printable(*why).c_str());
      return kFailed;
    }
  if (options.json) print_tests_json(files, all, failed);
  if (all == 0 && wrong == 0 && options.filter.empty())
    return complain_of_tests("there is no test in " + how_many_of(files.size(), "file"),
                             "docs/policy_tests.md says what a test looks like");
  if (all == 0 && wrong == 0)
    return complain_of_tests("no test has \"" + options.filter + "\" in its name",
                             "leave --filter out to see all names");
  if (!options.json) std::puts(summary(all, files.size(), failed, wrong).c_str());
  return wrong > 0 ? kBadConfiguration : failed > 0 ? kDoesNotHold : kWell;
}

}  // namespace

void offer_test(CLI::App& app, int& result) {
  const auto options = std::make_shared<TestOptions>();
  auto* command = app.add_subcommand("test", "Run policy tests: send requests to a configuration on a simulated clock");
  command->add_option("files", options->paths, "Files of tests, or folders with files that end with .test.json")
      ->required();
  command->add_option("--filter", options->filter, "Run only the tests that have these words in their name");
  command->add_option("--junit", options->junit, "Also write the results to this file, as JUnit does");
  command->add_flag("--json", options->json, "Print the result as JSON");
  command->callback([options, &result] { result = test(*options); });
}

}  // namespace headgate::cli
