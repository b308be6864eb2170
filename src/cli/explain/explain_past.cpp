#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "log_search.hpp"
#include "past_request.hpp"

#include "headgate/core/read_file.hpp"
#include "headgate/core/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace headgate::cli {
namespace {

int complain_of_log(int code, const std::string& sentence, const std::string& help) {
  std::fprintf(stderr, "headgate: %s\n  help: %s\n", sentence.c_str(), help.c_str());
  return code;
}

/// Returns whether the gateway would make or accept this id.
bool may_be_request_id(std::string_view id) noexcept {
  constexpr std::size_t kMax = 128;
  return !id.empty() && id.size() <= kMax && all_alnum(id, "-_.");
}

/// Passes the whole file to the search. Returns an exit code.
int search_file(const std::string& path, LogSearch& search) {
  const bool standard_input = path == "-";
  auto file =
      standard_input ? Result<InputFile, FileTrouble>(InputFile::standard_input()) : InputFile::open(path, Pipes::read);
  const auto cannot = [&](const FileTrouble& trouble) {
    return complain_of_log(kFailed, "cannot read " + printable(path) + ": " + trouble.text(),
                           "an access log of a gateway, or - for standard input");
  };
  if (file.has_error()) return cannot(file.error());
  std::string block(std::size_t{256} * 1024, '\0');
  int code = kWell;
  for (bool first = true;; first = false) {
    const auto count = file->read(block.data(), block.size());
    if (count.has_error()) code = cannot(count.error());
    if (count.has_error() || *count == 0) break;
    const std::string_view bytes(block.data(), *count);
    if (first && bytes.starts_with("\x1f\x8b")) {
      code = complain_of_log(kFailed, printable(path) + " is compressed",
                             "zcat FILE | headgate explain --request-id ID --log -");
      break;
    }
    search.take(bytes);
  }
  search.end_file();
  return code;
}

int not_found(const PastOptions& options, const LogCounts& counts) {
  auto sentence = "request " + options.request_id + " is not in the log (" + std::to_string(counts.lines) +
                  (counts.lines == 1 ? " line" : " lines");
  if (counts.unreadable > 0) sentence += ", " + std::to_string(counts.unreadable) + " of them not JSON";
  sentence += ')';
  const char* help =
      "with log.keep_ok or log.refusals_every some requests have no line; else look in older files, and in the logs of "
      "the other gateways";
  if (counts.in_text > 0) {
    sentence = "request " + options.request_id + " is in the log in the format text, which cannot be explained";
    help = "set log.format to json or ecs: only these have all fields";
  } else if (counts.lines > 0 && counts.unreadable == counts.lines) {
    help = "only logs in the formats json and ecs can be explained: set log.format";
  } else if (counts.named == 0 && counts.nameless > 0) {
    help = "the field request_id is missing in these lines, so no request can be found: add it to log.fields";
  }
  return complain_of_log(kFailed, sentence, help);
}

void print_json(const LogSearch& search) {
  nlohmann::ordered_json out = {{"requests", nlohmann::ordered_json::array()}};
  for (const auto& record : search.found()) out["requests"].push_back(past_request(record));
  out["further_requests"] = search.counts().beyond;
  out["lines"] = search.counts().lines;
  out["lines_that_are_not_json"] = search.counts().unreadable;
  std::puts(printable_json(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)).c_str());
}

void print_text(const LogSearch& search) {
  bool first = true;
  for (const auto& record : search.found()) {
    if (!first) std::fputs("\n----\n\n", stdout);
    first = false;
    std::fputs(past_text(past_request(record), stdout_has_colours()).c_str(), stdout);
  }
  const auto& counts = search.counts();
  if (counts.beyond > 0)
    std::printf("\nAnd %llu more requests with this id: callers may choose it.\n",
                static_cast<unsigned long long>(counts.beyond));
  if (counts.unreadable > 0)
    std::printf("\nSkipped %llu of %llu lines, which are not JSON.\n",
                static_cast<unsigned long long>(counts.unreadable), static_cast<unsigned long long>(counts.lines));
}

}  // namespace

int explain_past(const PastOptions& options) {
  if (!may_be_request_id(options.request_id))
    return complain_of_log(kWrongCommandLine,
                           "\"" + printable(options.request_id) + "\" is no id that a request can have",
                           "it is in the field X-Request-Id of the answer");
  LogSearch search(options.request_id);
  for (const auto& path : options.logs)
    if (const int code = search_file(path, search); code != kWell) return code;
  if (search.found().empty()) return not_found(options, search.counts());
  if (options.json)
    print_json(search);
  else
    print_text(search);
  return kWell;
}

}  // namespace headgate::cli
