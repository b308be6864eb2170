#include "admin_commands.hpp"

#include "admin_client.hpp"
#include "commands.hpp"
#include "text_table.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>

namespace headgate::cli {
namespace {

using Answer = nlohmann::ordered_json;
using std::chrono_literals::operator""s;
/// Fetching keys may take long in a reload.
constexpr auto kReloadPatience = 120s;

std::string text_in(const Answer& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string words_in(const Answer& object, const char* name) {
  std::string out;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return out;
  for (const auto& each : *found)
    out += (out.empty() ? "" : ", ") + (each.is_string() ? each.get<std::string>() : each.dump());
  return out;
}

/// Calls the gateway and prints the answer: as it came, or as `print` does.
int call_and_print(const AdminOptions& options, const AdminRequest& request,
                   const std::function<void(const Answer&)>& print) {
  const auto reply = call_gateway(options, request);
  if (reply.has_error()) {
    if (options.json && !reply.error().text.empty()) std::fputs(reply.error().text.c_str(), stdout);
    return complain(reply.error());
  }
  if (options.json) {
    std::fputs(reply->text.c_str(), stdout);
    return kWell;
  }
  if (!reply->json.is_object())
    return complain({kFailed, "the answer is not JSON", "is this the admin interface of a gateway?"});
  print(reply->json);
  return kWell;
}

void print_line(const std::string& text) { std::puts(printable(text).c_str()); }

void print_table(const TextTable& table, const char* if_empty) {
  std::fputs(table.empty() ? if_empty : table.text(stdout_has_colours()).c_str(), stdout);
}

int reload(const AdminOptions& options) {
  const AdminRequest request{.method = "POST", .target = "/api/v1/reload", .patience = kReloadPatience};
  return call_and_print(options, request, [](const Answer& answer) {
    const auto changed = words_in(answer, "changed");
    print_line("reloaded " + text_in(answer, "file") + (changed.empty() ? ": nothing has changed" : ": " + changed));
    if (const auto waiting = words_in(answer, "waiting_for_restart"); !waiting.empty())
      print_line("waits for a restart: " + waiting);
  });
}

std::string since(const Answer& server) {
  return server.contains("seconds") ? text_in(server, "seconds") + " s" : std::string("the start");
}

int servers(const AdminOptions& options) {
  return call_and_print(options, {.target = "/api/v1/servers"}, [](const Answer& answer) {
    TextTable table({"upstream", "server", "state", "why", "since", "in flight"});
    for (const auto& upstream : answer.value("upstreams", Answer::array())) {
      for (const auto& server : upstream.value("servers", Answer::array())) {
        const bool in = server.value("in", false);
        auto why = words_in(server, "out");
        if (const auto reason = text_in(server, "reason"); !reason.empty()) why += ": " + reason;
        table.row({text_in(upstream, "upstream"),
                   text_in(server, "server"),
                   {in ? "in" : "out", in ? Paint::good : Paint::bad},
                   why,
                   since(server),
                   text_in(server, "in_flight")});
      }
    }
    print_table(table, "there are no upstreams\n");
  });
}

using Run = std::function<int(const AdminOptions&)>;

/// A command without options of its own.
CLI::App* offer(CLI::App& app, int& result, const char* name, const char* help, Run run) {
  const auto options = std::make_shared<AdminOptions>();
  auto* command = app.add_subcommand(name, help);
  offer_admin(*command, *options);
  command->callback([options, run = std::move(run), &result] { result = run(*options); });
  return command;
}

}  // namespace

void offer_admin_commands(CLI::App& app, int& result) {
  offer(app, result, "reload", "Read the configuration again, as SIGHUP does, and say what changed", reload);
  offer(app, result, "servers", "Which servers get requests, and why others do not", servers);
}

}  // namespace headgate::cli
