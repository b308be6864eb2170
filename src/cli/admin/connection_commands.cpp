#include "admin_call.hpp"
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::cli {
namespace {

constexpr std::uint64_t kMaxListed = 1000;

std::string plain_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class Number>
std::string spelled(const char* format, Number number) {
  std::array<char, 48> out{};
  std::snprintf(out.data(), out.size(), format, number);
  return out.data();
}

/// Returns "0.8 s", "42 s", "3 min" or "5 h".
std::string age_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kMany = 10;
  if (seconds < kMany) return spelled("%.1f s", seconds);
  if (seconds < 2 * kMinute) return spelled("%.0f s", seconds);
  if (seconds < 2 * kHour) return spelled("%.0f min", std::floor(seconds / kMinute));
  return spelled("%.0f h", std::floor(seconds / kHour));
}

/// Returns whether a worker did not answer. If so, reports that on stderr.
bool warn_of_silence(const Json& answer) {
  const auto workers = count_in(answer, "workers");
  const auto silent = workers - std::min(workers, count_in(answer, "answered"));
  if (silent > 0)
    std::fprintf(stderr, "headgate: warning: %llu of %llu workers did not answer within a second\n",
                 static_cast<unsigned long long>(silent), static_cast<unsigned long long>(workers));
  return silent > 0;
}

/// Prints which workers did not answer, and how many rows are not shown.
void print_rest(const Json& answer, const char* what) {
  warn_of_silence(answer);
  if (const auto more = count_in(answer, "left_out"); more > 0)
    print_line("and " + std::to_string(more) + " more " + what + ": --limit N shows more");
}

void print_addresses(const Json& answer) {
  print_line(text_in(answer, "open") + " of at most " + text_in(answer, "bound") + " connections, of " +
             text_in(answer, "addresses") + (count_in(answer, "addresses") == 1 ? " address" : " addresses"));
  TextTable table({"address", "open", "idle", "requests", "oldest", "of the bound"});
  for (const auto& each : list_in(answer, "connections"))
    table.row({text_in(each, "address"), text_in(each, "open"), text_in(each, "idle"), text_in(each, "requests"),
               age_text(real_in(each, "oldest_seconds")), spelled("%.2f %%", real_in(each, "share") * 100)});
  if (!table.empty()) std::fputs(table.text(stdout_has_colours(), stdout_width()).c_str(), stdout);
  print_rest(answer, "addresses");
}

void print_requests(const Json& answer) {
  TextTable table({"id", "age", "state", "method", "host", "path", "route", "server", "address", "key", "in", "out"});
  for (const auto& each : list_in(answer, "requests"))
    table.row({text_in(each, "id"), age_text(real_in(each, "seconds")), text_in(each, "state"), text_in(each, "method"),
               text_in(each, "host"), text_in(each, "path"), text_in(each, "route"), text_in(each, "server"),
               text_in(each, "address"), text_in(each, "key_id"), text_in(each, "received_bytes"),
               text_in(each, "sent_bytes")});
  if (table.empty())
    print_line("no request is under way");
  else
    std::fputs(table.text(stdout_has_colours(), stdout_width()).c_str(), stdout);
  print_rest(answer, "requests");
}

void print_end(const Json& answer) {
  if (answer.contains("address") && !answer.contains("id")) {
    const auto told = count_in(answer, "requests_answered");
    return print_line(how_many_of(told, "request") + " of " + text_in(answer, "address") +
                      (told == 1 ? " gets a 503; " : " get a 503; ") + text_in(answer, "requests_broken_off") +
                      " broken off, " + how_many_of(count_in(answer, "connections_closed"), "other connection") +
                      " closed");
  }
  const bool answered = text_in(answer, "client") == "answered";
  const bool streams = text_in(answer, "protocol") == "HTTP/2.0";
  print_line(text_in(answer, "method") + ' ' + text_in(answer, "path") + " of " + text_in(answer, "address") +
             " ends: " +
             (answered  ? "its client gets a 503"
              : streams ? "its answer had begun, so its stream was reset"
                        : "its answer had begun, so its connection was closed"));
}

/// Returns the width in terminal columns after printable().
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

void print_place(const Json& refused) {
  const auto& excerpt = refused.contains("excerpt") ? refused["excerpt"] : Json::object();
  const auto before = printable(plain_text(excerpt, "before"));
  const auto wrong = printable(plain_text(excerpt, "wrong"));
  const auto after = printable(plain_text(excerpt, "after"));
  const auto where = "byte " + text_in(refused, "byte");
  if (!refused.contains("excerpt")) return print_line("    at " + where);
  constexpr std::string_view kHidden = "(secret)";
  const auto hidden = wrong.empty() && before.ends_with(kHidden) ? kHidden.size() : 0;
  std::printf("    %s%s%s\n", before.c_str(), wrong.c_str(), after.c_str());
  std::printf("    %s^ %s\n", std::string(columns_of(before) - hidden, ' ').c_str(), where.c_str());
}

/// Prints the head line by line. Line ends other than CRLF are made visible.
void print_head(const Json& refused) {
  auto rest = plain_text(refused, "head");
  while (!rest.empty()) {
    const auto end = rest.find("\r\n");
    if (end != 0) std::printf("    | %s\n", printable(rest.substr(0, end)).c_str());
    rest.erase(0, end == std::string::npos ? end : end + 2);
  }
  if (refused.value("head_cut", false)) std::puts("    | ...");
}

void print_refused(const Json& answer, bool heads) {
  const auto& rows = list_in(answer, "refused");
  if (rows.empty()) print_line("no malformed request was refused lately");
  for (const auto& each : rows) {
    const auto status = text_in(each, "status");
    const auto path = plain_text(each, "path");
    print_line(text_in(each, "at") + "  " + text_in(each, "address") + "  " + (status.empty() ? "TLS" : status) + "  " +
               plain_text(each, "reason") +
               (path.empty() ? "" : "  (" + plain_text(each, "method") + ' ' + plain_text(each, "host") + path + ')'));
    if (each.contains("byte")) print_place(each);
    if (heads) print_head(each);
  }
  print_rest(answer, "requests");
  if (!rows.empty() && !answer.value("heads_shown", true))
    std::fputs("headgate: the heads are shown only to who has the token of operators\n", stderr);
}

std::string query_of(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters)
    if (!value.empty()) out += (out.empty() ? '?' : '&') + name + '=' + in_path(value);
  return out;
}

struct ConnectionArguments {
  AdminOptions admin;
  std::uint64_t limit = 0;
  std::string route, address, server, id;
  bool requests = false;
  bool heads = false;

  std::string limit_text() const { return limit > 0 ? std::to_string(limit) : std::string(); }
};

void offer_limit(CLI::App& command, ConnectionArguments& asked, const char* help) {
  command.add_option("--limit", asked.limit, help)->check(CLI::Range(std::uint64_t{1}, kMaxListed));
}

void offer_end(CLI::App& connections, int& result) {
  auto* command = connections.add_subcommand(
      "end", "End a request (with 503, or by closing its connection), or all connections of an address");
  const auto asked = std::make_shared<ConnectionArguments>();
  offer_admin(*command, asked->admin);
  auto* id = command->add_option("id", asked->id, "The request's id, as `headgate connections --requests` shows it");
  command
      ->add_option("--address", asked->address,
                   "All connections of this address (IPv6: of its whole block), with their requests")
      ->excludes(id);
  command->callback([asked, &result] {
    if (asked->id.empty() && asked->address.empty()) throw CLI::RequiredError("an id, or --address");
    const auto target =
        asked->id.empty() ? "/api/v1/connections/" + in_path(asked->address) : "/api/v1/requests/" + in_path(asked->id);
    bool silent = false;  // whether a worker did not answer, so that some requests may not have been ended
    const auto look = [&silent](const Json& answer) { silent = warn_of_silence(answer); };
    const auto print = [&look](const Json& answer) { print_end(answer), look(answer); };
    result = call_and_print(asked->admin, {.method = "DELETE", .target = target}, print, look);
    if (result == kWell && silent) result = kFailed;
  });
}

}  // namespace

void offer_connections(CLI::App& app, int& result) {
  auto* command = app.add_subcommand("connections", "List connections or requests in flight, and end some of them");
  const auto asked = std::make_shared<ConnectionArguments>();
  offer_admin(*command, asked->admin);
  auto* requests = command->add_flag("--requests", asked->requests, "List the requests in flight, the oldest first");
  offer_limit(*command, *asked, "How many rows (default: 100)");
  command->add_option("--route", asked->route, "Only requests of this route")->needs(requests);
  command->add_option("--server", asked->server, "Only requests to this server")->needs(requests);
  command->add_option("--address", asked->address, "Only requests from this address")->needs(requests);
  command->callback([command, asked, &result] {
    if (!command->get_subcommands().empty()) return;
    const auto query = query_of({{"limit", asked->limit_text()},
                                 {"route", asked->route},
                                 {"server", asked->server},
                                 {"address", asked->address}});
    if (asked->requests)
      result = call_and_print(asked->admin, {.target = "/api/v1/requests" + query}, print_requests);
    else
      result = call_and_print(asked->admin, {.target = "/api/v1/connections" + query}, print_addresses);
  });
  offer_end(*command, result);
}

void offer_refused(CLI::App& app, int& result) {
  auto* command =
      app.add_subcommand("refused", "List the last malformed requests, with the fault and its place in the head");
  const auto asked = std::make_shared<ConnectionArguments>();
  offer_admin(*command, asked->admin);
  offer_limit(*command, *asked, "How many, the newest first (default: 20)");
  command->add_option("--address", asked->address, "Only requests from this address");
  command->add_flag("--heads", asked->heads, "Show the heads as well, without secrets");
  command->callback([asked, &result] {
    const auto query = query_of({{"limit", asked->limit_text()}, {"address", asked->address}});
    const auto print = [heads = asked->heads](const Json& answer) { print_refused(answer, heads); };
    result = call_and_print(asked->admin, {.target = "/api/v1/refused" + query}, print);
  });
}

}  // namespace headgate::cli
