// Implements headgate simulate: tries a policy on past or invented requests.

#include "arrival_source.hpp"
#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "cli/one_limit.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "progress.hpp"
#include "simulate_output.hpp"

#include "headgate/access_logs/moment.hpp"
#include "headgate/core/replace_file.hpp"
#include "headgate/simulate/report.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headgate::cli {
namespace {

struct SimulateOptions {
  std::string file;
  std::string limit;
  std::string per = "client_ip";
  std::vector<std::string> logs;
  std::string arrivals;
  std::string format;
  std::string from;
  std::string until;
  std::string host;
  std::vector<std::string> as;
  std::vector<std::string> map;
  std::uint64_t seed = 1;
  bool json = false;
  std::string html;
  std::string suggest;
  std::string compare;
  std::vector<std::string> asserts;
};

/// Ends the command early, after a message.
struct EarlyExit {
  int code = kFailed;
};

[[noreturn]] void end_with(int code, const std::string& sentence, const std::string& help = {}) {
  std::fprintf(stderr, "headgate: %s\n", sentence.c_str());
  if (!help.empty()) std::fprintf(stderr, "  help: %s\n", help.c_str());
  throw EarlyExit{code};
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

/// Reports an option whose text is wrong at some place.
[[noreturn]] void end_with(const char* option, const std::string& text, const simulate::TextFault& fault) {
  const auto at = std::min(fault.at, text.size());
  const auto size = std::min(std::max<std::size_t>(fault.size, 1), std::max<std::size_t>(text.size() - at, 1));
  const auto before = characters(printable(text.substr(0, at)));
  const auto wide = std::max<std::size_t>(characters(printable(text.substr(at, size))), 1);
  std::fprintf(stderr, "headgate: %s: %s\n  %s\n  %s^%s\n", option, printable(fault.message).c_str(),
               printable(text).c_str(), std::string(before, ' ').c_str(), std::string(wide - 1, '~').c_str());
  if (!fault.help.empty()) std::fprintf(stderr, "  help: %s\n", printable(fault.help).c_str());
  throw EarlyExit{kWrongCommandLine};
}

double share_option(const std::string& text) {
  const simulate::TextFault fault{0, text.size(), "\"" + text + "\" is no share", "write \"1%\" or \"0.1%\""};
  if (!text.ends_with('%')) end_with("--suggest", text, fault);
  double out = 0;
  const auto* const last = text.data() + text.size() - 1;
  const auto [end, wrong] = std::from_chars(text.data(), last, out, std::chars_format::fixed);
  if (wrong != std::errc() || end != last || out < 0 || out > 100) end_with("--suggest", text, fault);
  return out / 100;
}

std::optional<Instant> moment_option(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto read = access_logs::parse_moment(text);
  if (!read)
    end_with(option, text,
             {0, text.size(), "\"" + text + "\" is no moment",
              "write \"2026-11-22T05:30:00Z\", or \"2026-11-22\" for its first moment"});
  return read;
}

/// All options, parsed once.
class Simulate {
 public:
  explicit Simulate(const SimulateOptions& options) : options_(options) {}

  int run() {
    read_options();
    const auto config = load(options_.file);
    report_.policy = options_.limit.empty() ? file_name(config) : options_.limit + " per " + options_.per;
    const auto policy = simulate::policy_of(config);
    check_assertions(*policy.parts.compiled);
    std::optional<config::Config> other;
    if (!options_.compare.empty()) {
      other = load_file_or_end(options_.compare);
      report_.other = options_.compare;
    }
    const auto began = std::chrono::steady_clock::now();
    auto first = run_first(config, policy);
    if (other) compare_with(*other, first);
    if (!options_.suggest.empty()) suggest(config, first.figures);
    progress_.clear();
    for (auto& each : report_.asserted) {
      each.held = evaluate(each.assertion, *first.tally, first.figures);
      each.held.holds = each.held.holds && first.figures.requests > 0;
    }
    report_.figures = std::move(first.figures);
    report_.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began);
    return tell();
  }

 private:
  void read_options() {
    if (options_.logs.empty() == options_.arrivals.empty())
      end_with(kWrongCommandLine, "either --log or --arrivals is needed",
               "headgate simulate --log access.log, or --arrivals \"poisson 100/s for 10m\"");
    if (!options_.limit.empty() && !options_.file.empty())
      end_with(kWrongCommandLine, "--limit is in place of a configuration", "leave out either -c or --limit");
    source_.seed = options_.seed;
    if (!options_.arrivals.empty()) {
      auto pattern = simulate::parse_arrivals(options_.arrivals);
      if (pattern.has_error()) end_with("--arrivals", options_.arrivals, pattern.error());
      source_.pattern = std::move(*pattern);
      source_.pattern_text = options_.arrivals;
    }
    source_.read.files = options_.logs;
    source_.read.format = options_.format;
    source_.read.host = options_.host;
    source_.read.from = moment_option("--from", options_.from);
    source_.read.until = moment_option("--until", options_.until);
    read_assumptions("--as", options_.as, simulate::Assumption::From::text);
    read_assumptions("--map", options_.map, simulate::Assumption::From::arrival);
    if (!options_.suggest.empty()) share_ = share_option(options_.suggest);
    for (const auto& text : options_.asserts) {
      auto assertion = simulate::parse_assertion(text);
      if (assertion.has_error()) end_with("--assert", text, assertion.error());
      report_.asserted.push_back({std::move(*assertion), {}});
    }
    const bool again = !options_.suggest.empty() || !options_.compare.empty();
    if (again && !source_.again())
      end_with(kWrongCommandLine, "standard input can be read only once, and --suggest and --compare need it again",
               "write it to a file first");
  }

  void read_assumptions(const char* option, const std::vector<std::string>& texts, simulate::Assumption::From from) {
    for (const auto& text : texts) {
      auto read = simulate::parse_assumption(text, from);
      if (read.has_error()) end_with(option, text, read.error());
      report_.assumed.push_back(read->sentence());
      source_.assumptions.push_back(std::move(*read));
    }
  }

  static config::Config load_file_or_end(const std::string& file) {
    auto loaded = load_file(file);
    if (!loaded.config) throw EarlyExit{loaded.exit_code};
    return std::move(*loaded.config);
  }

  config::Config load(const std::string& file) const {
    if (options_.limit.empty()) return load_file_or_end(file);
    // Callers' claims are assumptions, so no token is ever verified with this secret.
    const std::string identity =
        options_.per.starts_with("jwt.")
            ? R"("identity": { "jwt": { "algorithms": ["HS256"], "secret": "a secret that verifies no token at all" } },)"
            : "";
    auto loaded =
        config::load("{ " + identity + R"("listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },)" +
                     limit_member(options_.limit, options_.per) +
                     R"("routes": [ { "path": "/*", "to": "app", "limits": ["default"] } ] })");
    if (loaded.config) return std::move(*loaded.config);
    tell_mistakes(loaded);
    throw EarlyExit{kWrongCommandLine};
  }

  static std::string file_name(const config::Config& config) {
    return config.file.empty() ? "the configuration" : config.file;
  }

  void check_assertions(const gateway::CompiledConfig& compiled) {
    for (const auto& each : report_.asserted)
      if (const auto known = check_names(each.assertion, compiled); known.has_error())
        end_with("--assert", each.assertion.text, known.error());
  }

  std::unique_ptr<OpenArrivals> open(const simulate::TriedPolicy& policy) {
    auto opened = source_.open(policy);
    if (opened.has_error()) throw std::runtime_error(opened.error());
    return std::move(*opened);
  }

  simulate::Trial run_one(const simulate::TriedPolicy& policy, engine::Arrivals& arrivals) {
    return simulate::run(
        policy, arrivals,
        {.seed = options_.seed,
         .keep = options_.compare.empty() ? simulate::RunTally::Keep::keys : simulate::RunTally::Keep::each_request,
         .progress = [this](std::uint64_t count) { source_.show(progress_, count); }});
  }

  simulate::Trial run_first(const config::Config& config, const simulate::TriedPolicy& policy) {
    const auto arrivals = open(policy);
    auto out = run_one(policy, *arrivals);
    report_.arrived = source_.told(*arrivals, config);
    // Every run must have the same requests, even if the log grows meanwhile. So later runs end where the first one
    // did.
    if (!source_.read.until && out.figures.requests > 0) source_.read.until = out.figures.until + Duration(1);
    return out;
  }

  void compare_with(const config::Config& other, const simulate::Trial& first) {
    progress_.begin("run 2");
    const auto policy = simulate::policy_of(other);
    const auto arrivals = open(policy);
    report_.comparison = compare(first, run_one(policy, *arrivals));
    ++report_.runs;
  }

  void suggest(const config::Config& config, const simulate::Figures& figures) {
    const auto before = report_.runs;
    report_.suggestions = simulate::suggest(
        config, figures,
        {.share = share_,
         .seed = options_.seed,
         .arrivals = [this](const simulate::TriedPolicy& policy) -> std::unique_ptr<engine::Arrivals> {
           return open(policy);
         },
         .begin_run = [this, before](unsigned run) { progress_.begin("run " + std::to_string(before + run)); },
         .progress = [this](std::uint64_t count) { source_.show(progress_, count); }});
    report_.runs += report_.suggestions->runs;
  }

  int tell() const {
    if (!options_.html.empty())
      if (const auto wrong = replace_file(options_.html, simulate_page(report_)))
        end_with(kFailed, *wrong, "the report goes to a new file, or replaces one");
    if (options_.json) {
      const auto text = to_json(report_).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      std::puts(printable_json(text).c_str());
    } else {
      std::fputs(simulate_text(report_, stdout_has_colours(), stdout_width()).c_str(), stdout);
    }
    if (!report_.asserted.empty() && report_.figures.requests == 0)
      std::fputs("headgate: no request was read, so nothing that is asserted holds\n", stderr);
    for (const auto& each : report_.asserted)
      if (each.held.whole == 0 && report_.figures.requests > 0)
        std::fprintf(stderr, "headgate: %s was asked of no request, so it says nothing\n",
                     printable(each.assertion.text).c_str());
    const auto broken = not_held_text(report_);
    std::fputs(broken.c_str(), stderr);
    return broken.empty() ? kWell : kDoesNotHold;
  }

  const SimulateOptions& options_;
  ArrivalSource source_;
  Progress progress_;
  simulate::SimulationReport report_;
  double share_ = 0;
};

int simulate_with(const SimulateOptions& options) {
  try {
    return Simulate(options).run();
  } catch (const EarlyExit& ended) {
    return ended.code;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "headgate: %s\n", printable(failure.what()).c_str());
    return kFailed;
  }
}

}  // namespace

void offer_simulate(CLI::App& app, int& result) {
  const auto options = std::make_shared<SimulateOptions>();
  auto* command =
      app.add_subcommand("simulate", "Show which requests of a log, or of made-up traffic, a policy would reject");
  command->add_option("-c,--config", options->file, "The configuration (default as for run)");
  command->add_option("--limit", options->limit, "One limit instead of a file: 5/second, 100/minute …");
  command->add_option("--per", options->per, "Who is one caller of --limit: client_ip, api_key, header:NAME, total …")
      ->capture_default_str();
  command->add_option("--log", options->logs,
                      "An access log, also compressed by gzip; repeatable, - for standard input");
  command->add_option("--arrivals", options->arrivals,
                      "In place of a log: \"poisson 100/s for 10m, burst 2000 at 5m, 3 tenants zipf\"");
  command->add_option("--format", options->format,
                      "Format of the log: its name, or as nginx's log_format describes it (default: found in the log)");
  command->add_option("--from", options->from, "Leave out requests before: 2026-11-22T05:30:00Z, 2026-11-22 …");
  command->add_option("--until", options->until, "Leave out requests from this time on");
  command->add_option("--as", options->as,
                      "Assume it of each request: 'jwt.plan=free', 'api_key.owner=acme', "
                      "'api_key.tier=pro', 'header:X-Tenant=acme', tls; repeatable");
  command->add_option("--host", options->host, "The host of requests whose log line has none");
  command->add_option("--map", options->map,
                      "Take it from a field of the log: 'jwt.sub=remote_user' (of --arrivals: tenant); repeatable");
  command->add_option("--suggest", options->suggest,
                      "Find the smallest rates that reject less than this share of requests: 1%");
  command->add_option("--compare", options->compare,
                      "Another configuration: show which callers the change would hit, and which it would free");
  command->add_option("--assert", options->asserts,
                      "Exit code 5 unless it holds: 'rejected(limit=plan,tier=pro) < 0.1%'; repeatable");
  command->add_option("--html", options->html, "Also write an HTML report with plots to this file");
  command->add_flag("--json", options->json, "Print the result as JSON");
  command->add_option("--seed", options->seed, "Seed of the random numbers")->capture_default_str();
  for (const char* name : {"--as", "--map", "--assert"}) command->get_option(name)->allow_extra_args(false);
  command->callback([options, &result] { result = simulate_with(*options); });
}

}  // namespace headgate::cli
