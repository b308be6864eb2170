#include "admin_call.hpp"
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"

#include "headgate/core/text.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::cli {
namespace {

/// A reload may take long because it fetches keys.
constexpr auto kReloadPatience = std::chrono::seconds(120);

using Print = std::function<void(const Json&)>;

/// Returns the new state of a server as the rest of a line that begins with the name of the server.
std::string state_in(const Json& answer) {
  const auto flying = text_in(answer, "in_flight");
  if (flying.empty()) return " is up";
  if (text_in(answer, "state") == "down") return " is down; requests that were ended there: " + flying;
  return " is drained; in flight there: " + flying;
}

void print_warning(const Json& answer) {
  const auto warning = text_in(answer, "warning");
  if (!warning.empty()) std::fprintf(stderr, "headgate: warning: %s\n", printable(warning).c_str());
}

Print line(std::string text) {
  return [text = std::move(text)](const Json&) { print_line(text); };
}

/// The options of a command and the words after it.
struct Words {
  AdminOptions admin;
  std::string first, second, third, length, why;
  std::vector<std::string> rates;
  std::uint64_t burst = 0;
  bool flag = false;
};

/// Adds a command. `ask` makes the call from its options and words.
struct Command {
  CLI::App* app;
  std::shared_ptr<Words> words = std::make_shared<Words>();
};
Command offer(CLI::App& above, int& result, const char* name, const char* help,
              std::function<AdminRequest(const Words&)> ask, std::function<Print(const Words&)> print) {
  Command out{above.add_subcommand(name, help)};
  offer_admin(*out.app, out.words->admin);
  out.app->callback([words = out.words, ask = std::move(ask), print = std::move(print), &result] {
    result = call_and_print(words->admin, ask(*words), print(*words));
  });
  return out;
}

/// Adds a command that makes one request and takes no words.
void offer_plain(CLI::App& app, int& result, const char* name, const char* help, AdminRequest request, Print print) {
  offer(
      app, result, name, help, [request = std::move(request)](const Words&) { return request; },
      [print = std::move(print)](const Words&) { return print; });
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Adds `headgate servers set`.
void offer_size(CLI::App& servers, int& result) {
  const auto most = std::make_shared<std::uint64_t>(0);
  const auto command = offer(
      servers, result, "set", "Give a server another weight or max_in_flight than the configuration says",
      [most](const Words& words) {
        Json body = Json::object();
        if (words.flag) body = {{"weight", nullptr}, {"max_in_flight", nullptr}};
        if (words.burst > 0) body["weight"] = words.burst;
        if (*most > 0) body["max_in_flight"] = *most;
        return AdminRequest{
            .method = "PUT",
            .target = "/api/v1/upstreams/" + in_path(words.first) + "/servers/" + in_path(words.second) + "/size",
            .body = json_text(body)};
      },
      [](const Words& words) {
        return line(words.second + (words.flag ? " has what the configuration says"
                                               : " is changed, until a restart or a reload that changes it"));
      });
  command.app->add_option("upstream", command.words->first, "The upstream's name")->required();
  command.app->add_option("server", command.words->second, "The server, as `headgate servers` shows it")->required();
  auto* weight = command.app->add_option("--weight", command.words->burst, "1 to 1000")->check(CLI::Range(1, 1000));
  auto* bound =
      command.app->add_option("--max-in-flight", *most, "Only for a server that has a bound in the configuration")
          ->check(CLI::Range(1, 10'000'000));
  command.app
      ->add_flag("--as-configured", command.words->flag, "Return to the weight and max_in_flight of the configuration")
      ->excludes(weight)
      ->excludes(bound);
}

void offer_servers(CLI::App& app, int& result) {
  auto* servers = app.add_subcommand(
      "servers", "Show which servers get requests, and why others do not; take servers out and back in");
  const auto options = std::make_shared<AdminOptions>();
  offer_admin(*servers, *options);
  servers->callback([servers, options, &result] {
    if (servers->get_subcommands().empty())
      result = call_and_print(*options, {.target = "/api/v1/servers"}, print_servers);
  });
  offer_size(*servers, result);
  for (const std::string state : {"drain", "down", "up"}) {
    const char* help = state == "up"      ? "Put a server back, so that it gets requests again"
                       : state == "drain" ? "Take a server out: it gets no new requests"
                                          : "Take a server out and end its requests in flight";
    const auto command = offer(
        *servers, result, state.c_str(), help,
        [state](const Words& words) {
          return AdminRequest{.method = "PUT",
                              .target = "/api/v1/upstreams/" + in_path(words.first) + "/servers/" +
                                        in_path(words.second) + "/state" + (words.flag ? "?force=1" : ""),
                              .body = json_text({{"state", state}})};
        },
        [](const Words& words) -> Print {
          return [server = words.second](const Json& answer) { print_line(server + state_in(answer)); };
        });
    command.app->add_option("upstream", command.words->first, "The upstream's name")->required();
    command.app->add_option("server", command.words->second, "The server, as `headgate servers` shows it")->required();
    if (state != "up")
      command.app->add_flag("--force", command.words->flag, "Do so even if it is the last server of its upstream");
  }
}

void offer_suspensions(CLI::App& app, int& result) {
  auto* suspensions = app.add_subcommand("suspensions", "List, add and lift suspensions");
  const auto options = std::make_shared<AdminOptions>();
  offer_admin(*suspensions, *options);
  suspensions->callback([suspensions, options, &result] {
    if (suspensions->get_subcommands().empty())
      result = call_and_print(*options, {.target = "/api/v1/bans"}, print_suspensions);
  });
  const auto add = offer(
      *suspensions, result, "add", "Suspend a key, or a block of addresses",
      [](const Words& words) {
        Json body = {{"limit", words.first}, {"key", words.second}};
        if (!words.length.empty()) body["for"] = words.length;
        return AdminRequest{.method = "POST", .target = "/api/v1/bans", .body = json_text(body)};
      },
      [](const Words&) -> Print {
        return [](const Json& ban) {
          print_line(text_in(ban, "key") + " is suspended under " + text_in(ban, "limit") + " until " +
                     text_in(ban, "until") + heard_text(ban));
          print_warning(ban);
        };
      });
  add.app->add_option("--for", add.words->length, "Duration: 10m, 1h … (default: that of the limit's \"ban\")");
  const auto lift = offer(
      *suspensions, result, "lift", "End the suspension of a key",
      [](const Words& words) {
        return AdminRequest{.method = "DELETE",
                            .target = "/api/v1/bans?limit=" + in_path(words.first) + "&key=" + in_path(words.second)};
      },
      [](const Words& words) -> Print {
        return [text = words.second + " is no longer suspended under " + words.first](const Json& answer) {
          print_line(text + heard_text(answer));
        };
      });
  for (const auto& each : {add, lift}) {
    each.app->add_option("limit", each.words->first, "The limit's name")->required();
    each.app->add_option("key", each.words->second, "The key, or its id (k_…): an address, an API key's owner …")
        ->required();
  }
}

std::string override_target(const Words& words) {
  return "/api/v1/limits/" + in_path(words.first) + "/overrides/" + in_path(words.second);
}

AdminRequest set_override(const Words& words) {
  Json body;
  if (words.rates.size() == 1)
    body["rate"] = words.rates.front();
  else
    body["rate"] = words.rates;
  if (words.burst > 0) body["burst"] = words.burst;
  body["for"] = words.length;
  if (!words.why.empty()) body["why"] = words.why;
  return {.method = "PUT", .target = override_target(words), .body = json_text(body)};
}

void offer_overrides(CLI::App& app, int& result) {
  auto* overrides = app.add_subcommand(
      "overrides", "List, set and lift overrides: other sizes of a limit for single keys, for a time");
  const auto options = std::make_shared<AdminOptions>();
  offer_admin(*overrides, *options);
  overrides->callback([overrides, options, &result] {
    if (overrides->get_subcommands().empty())
      result = call_and_print(*options, {.target = "/api/v1/overrides"}, print_overrides);
  });
  const auto set = offer(*overrides, result, "set", "Give a key another size of a limit for a time", set_override,
                         [](const Words& words) -> Print {
                           return [rate = joined(words.rates, " and ")](const Json& answer) {
                             print_line(text_in(answer, "key") + " has " + rate + " under " + text_in(answer, "limit") +
                                        " until " + text_in(answer, "until") + heard_text(answer));
                             print_warning(answer);
                           };
                         });
  const auto lift = offer(
      *overrides, result, "lift", "End the override of a key",
      [](const Words& words) { return AdminRequest{.method = "DELETE", .target = override_target(words)}; },
      [](const Words& words) -> Print {
        return [text = words.second + " has its usual size of " + words.first + " again"](const Json& answer) {
          print_line(text + heard_text(answer));
        };
      });
  for (const auto& each : {set, lift}) {
    each.app->add_option("limit", each.words->first, "The limit's name")->required();
    each.app->add_option("key", each.words->second, "The key, or its id (k_…): an address, an API key's owner …")
        ->required();
  }
  set.app->add_option("rate", set.words->rates, "The rate: 500/minute … or unlimited; several rates are possible")
      ->required();
  set.app->add_option("--for", set.words->length, "Duration: 10m, 1h …, at most 366d")->required();
  set.app->add_option("--burst", set.words->burst, "The burst (default: that of a limit with this rate)")
      ->check(CLI::PositiveNumber);
  set.app->add_option("--why", set.words->why, "A note that lists show with the override");
}

std::string key_target(const Words& words) {
  return "/api/v1/limits/" + in_path(words.first) + "/keys/" + in_path(words.second) +
         (words.third.empty() ? "" : "?tier=" + in_path(words.third));
}

void offer_limits(CLI::App& app, int& result) {
  const auto limits = offer(
      app, result, "limits", "Show all limits, one limit, or what one key has used of a limit",
      [](const Words& words) {
        if (!words.second.empty()) return AdminRequest{.target = key_target(words)};
        return AdminRequest{.target = "/api/v1/limits" + (words.first.empty() ? "" : '/' + in_path(words.first))};
      },
      [](const Words& words) -> Print {
        return !words.second.empty() ? print_key : words.first.empty() ? print_limits : print_limit;
      });
  limits.app->add_option("limit", limits.words->first, "Only this limit");
  limits.app->add_option("key", limits.words->second, "Only this key of it: an address, an API key's owner …");
  limits.app->add_option("--tier", limits.words->third, "The tier of the key (default: the limit's default)");

  const auto reset = offer(
      app, result, "reset", "Reset the counters of a limit, for one key or for all keys",
      [](const Words& words) { return AdminRequest{.method = "DELETE", .target = key_target(words)}; },
      [](const Words&) -> Print { return print_key; });
  reset.app->callback([words = reset.words, &result] {
    if (!words->flag && words->second.empty()) throw CLI::RequiredError("a key, or --all");
    result = words->flag ? reset_all(words->admin, words->first)
                         : call_and_print(words->admin, {.method = "DELETE", .target = key_target(*words)}, print_key);
  });
  reset.app->add_option("limit", reset.words->first, "The limit's name")->required();
  auto* all = reset.app->add_flag("--all", reset.words->flag, "Reset all keys; for a limit in Redis on all gateways");
  reset.app->add_option("key", reset.words->second, "The key, or its id (k_…): an address, an API key's owner …")
      ->excludes(all);
  reset.app->add_option("--tier", reset.words->third, "The tier of the key (default: the limit's default)");
}

/// Adds `headgate certs`. Its exit code says whether a certificate needs attention.
void offer_certificates(CLI::App& app, int& result) {
  const auto options = std::make_shared<AdminOptions>();
  auto* command =
      app.add_subcommand("certs", "List all certificates in use; exit code 1 if one expires soon or was refused");
  offer_admin(*command, *options);
  command->callback([options, &result] {
    bool wrong = false;
    const Print look = [&wrong](const Json& answer) { wrong = complain_of_certificates(answer); };
    const Print print = [&look](const Json& answer) {
      print_certificates(answer);
      look(answer);
    };
    result = call_and_print(*options, {.target = "/api/v1/certificates"}, print, look);
    if (result == kWell && wrong) result = kFailed;
  });
}

}  // namespace

int call_and_print(const AdminOptions& own, const AdminRequest& request, const std::function<void(const Json&)>& print,
                   const std::function<void(const Json&)>& also_json) {
  const auto options = own.whole();
  const auto reply = call_gateway(options, request);
  if (reply.has_error()) {
    if (options.json && !reply.error().text.empty()) std::fputs(printable_json(reply.error().text).c_str(), stdout);
    return complain(reply.error());
  }
  if (options.json) {
    std::fputs(printable_json(reply->text).c_str(), stdout);
    if (also_json) also_json(reply->json);
    return kWell;
  }
  if (!reply->json.is_object())
    return complain({kFailed, "the answer is not JSON", "is this the admin interface of a gateway?"});
  print(reply->json);
  return kWell;
}

void offer_admin_commands(CLI::App& app, int& result) {
  offer_plain(app, result, "status", "Show whether a running gateway is ready, and which configuration it runs",
              {.target = "/api/v1/status"}, print_status);
  offer_balance(app, result);
  offer_candidate(app, result);
  offer_limits(app, result);
  offer_suspensions(app, result);
  offer_overrides(app, result);
  offer_servers(app, result);
  offer_connections(app, result);
  offer_refused(app, result);
  offer_plain(app, result, "bounds", "Show the bounds of a running gateway and how much of each is used",
              {.target = "/api/v1/bounds"}, print_bounds);
  offer_certificates(app, result);
  const auto reload = offer(
      app, result, "reload", "Read the configuration again, as SIGHUP does, and say what changed",
      [](const Words& words) {
        return AdminRequest{.method = "POST",
                            .target = std::string("/api/v1/reload") + (words.flag ? "?previous=true" : ""),
                            .patience = kReloadPatience};
      },
      [](const Words&) { return print_reload; });
  reload.app->add_flag("--previous", reload.words->flag, "Go back to the configuration that was in force before");
  offer_plain(app, result, "drain", "Finish the requests in flight, then exit, as SIGTERM does",
              {.method = "POST", .target = "/api/v1/drain"}, line("the gateway is draining"));
  const auto level = offer(
      app, result, "log-level", "Set the log level of a running gateway until its next reload",
      [](const Words& words) {
        return AdminRequest{
            .method = "PUT", .target = "/api/v1/log-level", .body = json_text({{"level", words.first}})};
      },
      [](const Words& words) {
        return line("events from level " + words.first + " on are logged until the next reload");
      });
  level.app->add_option("level", level.words->first, "debug, info, warning, error or off")
      ->required()
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}));
  const auto config = offer(
      app, result, "config", "Print the configuration in force, without secrets",
      [](const Words& words) {
        return AdminRequest{.target = words.flag ? "/api/v1/config/diff" : "/api/v1/config",
                            .patience = kReloadPatience};
      },
      [](const Words& words) -> Print { return words.flag ? print_differences : print_config; });
  config.app->add_flag("--diff", config.words->flag, "Show where the file differs from it");
}

}  // namespace headgate::cli
