// Implements headgate candidate, diff and promote: a candidate policy beside the active one.

#include "admin_call.hpp"
#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "live.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace headgate::cli {
namespace {

using Reply = nlohmann::ordered_json;

constexpr auto kCompilePatience = std::chrono::seconds(120);

struct CandidateOptions {
  AdminOptions admin;
  std::string file;
  bool by_path = false;
  LiveOptions live;
};

std::string source_of(const Reply& candidate) {
  const auto file = text_in(candidate, "file");
  return (file.empty() ? "a configuration that was sent" : file) +
         (text_in(candidate, "from") == "file" ? ", which the file in force names" : ", set by an operator");
}

void print_candidate(const Reply& candidate) {
  print_line("candidate  " + source_of(candidate));
  print_line("since      " + text_in(candidate, "since"));
  print_line("policy     " + how_many_of(count_in(candidate, "routes"), "route") + ", " +
             how_many_of(count_in(candidate, "limits"), "limit") + ", sha256 " +
             text_in(candidate, "sha256").substr(0, 12));
  print_line("memory     " + text_in(candidate, "keys") + " of at most " + text_in(candidate, "max_keys") +
             " counters");
  for (const auto& note : list_in(candidate, "notes"))
    if (note.is_string()) print_line("note       " + note.get<std::string>());
}

constexpr std::array kResults{"both_allowed", "both_refused", "hit", "freed"};

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), " (%.2f %%)", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text.data();
}

std::string keys_text(const Reply& keys, const char* which) {
  std::string out;
  for (const auto& row : keys)
    for (const auto& key : list_in(row, which)) {
      const auto shown = key.contains("key") ? text_in(key, "key") : text_in(key, "key_id");
      out += "  " + text_in(row, "limit") + "  " + printable(shown) + "  " + text_in(key, "requests") + '\n';
    }
  return out;
}

std::string diff_text(const Reply& diff) {
  const Reply none = Reply::object();
  const auto& counts = diff.contains("requests") ? diff["requests"] : none;
  std::uint64_t compared = 0;
  for (const auto* const result : kResults) compared += count_in(counts, result);
  const auto hit = count_in(counts, "hit");
  const auto freed = count_in(counts, "freed");
  std::string out = "compared " + how_many_of(compared, "request") + " since " +
                    printable(text_in(diff.contains("candidate") ? diff["candidate"] : none, "since")) + '\n';
  out += "both allow " + text_in(counts, "both_allowed") + ", both refuse " + text_in(counts, "both_refused") + '\n';
  out += "hit " + std::to_string(hit) + share(hit, compared) + ": only the candidate would refuse them\n";
  out += "freed " + std::to_string(freed) + share(freed, compared) + ": only the policy in force refused them\n";
  if (const auto undecided = count_in(counts, "undecided"); undecided > 0) {
    out += "not compared " + std::to_string(undecided) + ':';
    if (diff.contains("undecided"))
      for (const auto& [why, count] : diff["undecided"].items()) out += ' ' + printable(why) + ' ' + count.dump();
    out += '\n';
  }
  TextTable table({"limit", "tier", "both allow", "both refuse", "hit", "freed"});
  for (const auto& row : list_in(diff, "limits"))
    table.row({text_in(row, "limit"), text_in(row, "tier"), text_in(row, "both_allowed"), text_in(row, "both_refused"),
               Cell(text_in(row, "hit"), count_in(row, "hit") > 0 ? Paint::bad : Paint::none),
               Cell(text_in(row, "freed"), count_in(row, "freed") > 0 ? Paint::good : Paint::none)});
  if (!table.empty()) out += '\n' + table.text(stdout_has_colours(), stdout_width());
  const auto& keys = list_in(diff, "keys");
  if (const auto text = keys_text(keys, "hit"); !text.empty()) out += "\nhit most often\n" + text;
  if (const auto text = keys_text(keys, "freed"); !text.empty()) out += "\nfreed most often\n" + text;
  return out;
}

Result<std::string, CommandFailure> diff_picture(const AdminOptions& options) {
  const auto reply = call_gateway(options, {.target = "/api/v1/candidate/diff"});
  if (reply.has_error()) return reply.error();
  if (!reply->json.is_object())
    return CommandFailure{kFailed, "the answer is not JSON", "is this the admin interface of a gateway?"};
  return options.json ? printable_json(reply->json.dump()) + '\n' : diff_text(reply->json);
}

int set_candidate(const CandidateOptions& given) {
  AdminRequest request{.method = "PUT", .target = "/api/v1/candidate", .patience = kCompilePatience};
  if (given.by_path) {
    std::error_code failed;
    const auto path = std::filesystem::absolute(given.file, failed);
    request.body =
        Reply({{"file", failed ? given.file : path.string()}}).dump(-1, ' ', false, Reply::error_handler_t::replace);
  } else {
    auto text = read_file(given.file);
    if (!text) return kFailed;
    request.body = std::move(*text);
    request.target += "?name=" + in_path(given.file);  // the name used in messages
  }
  return call_and_print(given.admin, request, [&](const Json& answer) {
    for (const auto& warning : list_in(answer, "warnings"))
      std::fprintf(stderr, "headgate: warning: %s\n", printable(text_in(warning, "message")).c_str());
    print_line(given.file +
               " runs as a candidate beside the configuration in force; headgate diff shows what it would change");
  });
}

}  // namespace

void offer_candidate(CLI::App& app, int& result) {
  const auto options = std::make_shared<CandidateOptions>();
  auto* candidate =
      app.add_subcommand("candidate", "Show, set or drop a candidate: a policy that is compared with the one in force");
  offer_admin(*candidate, options->admin);
  candidate->callback([candidate, options, &result] {
    if (candidate->get_subcommands().empty())
      result = call_and_print(options->admin, {.target = "/api/v1/candidate"}, print_candidate);
  });
  const auto setting = std::make_shared<CandidateOptions>();
  auto* set =
      candidate->add_subcommand("set", "Compare the policy of a file with the one in force, without enforcing it");
  offer_admin(*set, setting->admin);
  set->add_option("file", setting->file, "The configuration to compare with")->required();
  set->add_flag("--by-path", setting->by_path,
                "Send only the path: the gateway reads the file and the files that it includes itself");
  set->callback([setting, &result] { result = set_candidate(*setting); });
  const auto dropping = std::make_shared<AdminOptions>();
  auto* drop = candidate->add_subcommand("drop", "Drop the candidate and its counters");
  offer_admin(*drop, *dropping);
  drop->callback([dropping, &result] {
    result = call_and_print(*dropping, {.method = "DELETE", .target = "/api/v1/candidate"},
                            [](const Json&) { print_line("the candidate is dropped"); });
  });

  const auto comparing = std::make_shared<CandidateOptions>();
  auto* diff =
      app.add_subcommand("diff", "Show live what the candidate would have changed for the requests since it was set");
  offer_admin(*diff, comparing->admin);
  offer_live(*diff, comparing->live);
  diff->callback([comparing, &result] {
    result = show_live(comparing->live, comparing->admin.json, [&] { return diff_picture(comparing->admin); });
  });

  const auto promoting = std::make_shared<AdminOptions>();
  auto* promote = app.add_subcommand("promote", "Put the candidate in force, as a reload would");
  offer_admin(*promote, *promoting);
  const auto listeners = std::make_shared<bool>(false);
  promote->add_flag("--listeners", *listeners,
                    "Also change the listeners; without this a candidate with other listeners is refused");
  promote->callback([promoting, listeners, &result] {
    const std::string target = "/api/v1/candidate/promote";
    result = call_and_print(
        *promoting,
        {.method = "POST", .target = *listeners ? target + "?listeners" : target, .patience = kCompilePatience},
        print_reload);
  });
}

}  // namespace headgate::cli
