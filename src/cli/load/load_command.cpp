// Implements headgate load: sends requests as many callers would, and reports the results.

#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "load_output.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/read_file.hpp"
#include "headgate/http/fields.hpp"

#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/signal_set.hpp>

#include <CLI/CLI.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace headgate::cli {
namespace {

struct LoadWords {
  std::vector<std::string> to;
  std::string like = "steady";
  std::string rate = "50/second";
  std::string length = "30s";
  std::string timeout = "10s";
  std::string ca;
  std::string key_file;
  load::LoadOptions options;
  bool impatient = false;
  bool json = false;
  bool quiet = false;
  bool own = false;
};

/// Ends the command early, after a message.
struct NoLoad {
  int code = kWrongCommandLine;
};

[[noreturn]] void give_up(int code, const std::string& sentence, const std::string& help = {}) {
  std::fprintf(stderr, "headgate: %s\n", printable(sentence).c_str());
  if (!help.empty()) std::fprintf(stderr, "  help: %s\n", printable(help).c_str());
  throw NoLoad{code};
}

Duration duration_word(const char* option, const std::string& text) {
  const auto read = parse_duration(text);
  if (read.has_error())
    give_up(kWrongCommandLine, std::string(option) + ": " + read.error().message, read.error().help);
  return *read;
}

double rate_word(const std::string& text) {
  const auto read = parse_rate(text);
  if (read.has_error()) give_up(kWrongCommandLine, "--rate: " + read.error().message, read.error().help);
  const auto rate = static_cast<double>(read->count) / std::chrono::duration<double>(read->period).count();
  if (rate > load::kMaxRate) give_up(kWrongCommandLine, "--rate is at most 100000/second");
  return rate;
}

constexpr std::size_t kLargestFileOfKeys = 64UL * 1024 * 1024;

std::vector<std::string> keys_in(const std::string& path) {
  auto text = read_file(path, kLargestFileOfKeys, Pipes::read);
  if (text.has_error()) give_up(kFailed, "--key-file: " + path + ": " + text.error().text(), "one key a line");
  std::istringstream file(std::move(*text));
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line) && out.size() < load::kMaxCallers;) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (load::read_field("X: " + line).has_error())
      give_up(kFailed, "--key-file: " + path + " has a line that is no key");
    out.push_back(std::move(line));
  }
  if (out.empty()) give_up(kFailed, "--key-file: " + path + " has no key", "one key a line");
  return out;
}

/// Raises the limit of open files as far as the system allows. Each connection takes a descriptor, and many systems
/// limit a process to a thousand unless it asks for more.
void allow_descriptors() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

class Load {
 public:
  explicit Load(LoadWords& words) : words_(words), options_(words.options) {}

  int run() {
    read_words();
    allow_descriptors();
    for (const auto& url : words_.to) options_.targets.push_back(target(url));
    boost::asio::signal_set signals(loop_, SIGINT, SIGTERM);
    load::LoadRun run(loop_, options_, [this](const load::LoadSecond& second) { tell(second); });
    wait_for_signals(signals, run);
    if (!words_.quiet) std::fputs((load_intention(options_) + load_second_heads()).c_str(), stderr);
    run.start();
    // The loop also waits for signals, which must not keep it running after the end of the run.
    while (!run.ended() && loop_.run_one() > 0) {
    }
    return tell(run.report());
  }

 private:
  void read_words() {
    auto& when = options_.timetable;
    const auto* const like = std::find(load::kLikes.begin(), load::kLikes.end(), words_.like);
    when.like = static_cast<load::Like>(like - load::kLikes.begin());
    when.rate = rate_word(words_.rate);
    when.length = duration_word("--for", words_.length);
    options_.timeout = duration_word("--timeout", words_.timeout);
    options_.patient = !words_.impatient;
    if (!http::is_token(options_.request.method))
      give_up(kWrongCommandLine, "--method must be a word, such as GET or POST");
    if (options_.connections < words_.to.size())
      give_up(kWrongCommandLine, "--connections must be at least the number of addresses in --to");
    auto& fields = options_.request.fields;
    for (const auto& field : fields)
      if (const auto read = load::read_field(field); read.has_error())
        give_up(kWrongCommandLine, "--header: " + read.error(), "--header 'X-API-Key: demo-{n}'");
    const auto says = [&](const char* word) {
      return std::any_of(fields.begin(), fields.end(),
                         [word](const auto& field) { return field.find(word) != std::string::npos; });
    };
    if (!words_.key_file.empty()) {
      options_.request.keys = keys_in(words_.key_file);
      if (!says("{key}")) fields.emplace_back("X-API-Key: {key}");
    }
    if (when.callers > 1 && !says("{n}") && !says("{ip}") && !says("{key}") && !words_.quiet)
      std::fputs(
          "headgate: all callers look the same to a gateway; --header 'X-API-Key: demo-{n}' or --key-file tells "
          "them apart\n",
          stderr);
  }

  load::LoadTarget target(const std::string& text) {
    const auto url = net::parse_url(text, "http://127.0.0.1:8080/");
    if (url.has_error()) give_up(kWrongCommandLine, "--to: " + url.error());
    load::LoadTarget out{.url = *url, .address = address_of(*url)};
    if (!load::is_near(out.address.address()) && !words_.own)
      give_up(kWrongCommandLine,
              "--to: " + url->host + " is " + out.address.address().to_string() +
                  ", neither this machine nor a private network",
              "a load on somebody else's server is an attack; if this one is yours, add --i-own-it");
    if (url->scheme == net::Scheme::http) return out;
    net::TlsOptions tls;
    tls.ca = words_.ca;
    tls.server_name = url->host;
    tls.protocol = "http/1.1";
    auto made = net::TlsContext::of_client(tls);
    if (made.has_error()) give_up(kFailed, made.error());
    out.tls = std::move(*made);
    return out;
  }

  net::Tcp::endpoint address_of(const net::Url& url) {
    boost::asio::ip::basic_resolver<net::Tcp, net::Executor> resolver(loop_);
    error_code ec;
    const auto found = resolver.resolve(url.host, std::to_string(url.port), ec);
    if (ec || found.empty()) give_up(kUnreachable, "the name " + url.host + " cannot be looked up: " + ec.message());
    return found.begin()->endpoint();
  }

  void wait_for_signals(boost::asio::signal_set& signals, load::LoadRun& run) {
    signals.async_wait([this, &signals, &run](const error_code& ec, int /*number*/) {
      if (ec) return;
      run.stop();
      wait_for_signals(signals, run);
    });
  }

  void tell(const load::LoadSecond& second) const {
    if (!words_.quiet) std::fputs(load_second_line(second).c_str(), stderr);
  }

  int tell(const load::LoadReport& report) const {
    if (!words_.quiet && !words_.json) std::fputc('\n', stderr);
    const auto text =
        words_.json ? load_json(options_, report) : load_text(options_, report, stdout_has_colours(), stdout_width());
    std::fputs(text.c_str(), stdout);
    const auto& figures = report.figures;
    if (!figures.statuses.empty() || figures.callers.sent + figures.attackers.sent == 0) return kWell;
    std::fputs("headgate: no request was answered\n", stderr);
    return kUnreachable;
  }

  LoadWords& words_;
  load::LoadOptions& options_;
  boost::asio::io_context loop_{1};
};

int load_with(LoadWords& words) {
  try {
    return Load(words).run();
  } catch (const NoLoad& none) {
    return none.code;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "headgate: %s\n", printable(failure.what()).c_str());
    return kFailed;
  }
}

}  // namespace

void offer_load(CLI::App& app, int& result) {
  const auto words = std::make_shared<LoadWords>();
  auto& options = words->options;
  auto* command = app.add_subcommand("load", "Send requests as many callers would, and report the answers");
  command
      ->add_option("--to", words->to,
                   "Where the requests go: http://HOST:PORT/PATH; repeatable, the targets then take turns")
      ->required()
      ->allow_extra_args(false);
  command
      ->add_option(
          "--like", words->like,
          "steady, burst (ten times as many for a second in ten), attack (some send too much and heed nothing) "
          "or flash-sale (each minute a crowd at once)")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>(load::kLikes.begin(), load::kLikes.end())));
  command->add_option("--rate", words->rate, "Number of requests: 50/second, 1000/minute …")->capture_default_str();
  command->add_option("--for", words->length, "Duration: 30s, 5m …")->capture_default_str();
  command->add_option("--callers", options.timetable.callers, "Number of callers that send them")
      ->capture_default_str()
      ->check(CLI::Range(1U, load::kMaxCallers));
  command
      ->add_option(
          "--header", options.request.fields,
          "A field of each request; {n} is the number of the caller, {ip} an address of its own, {key} its line "
          "of --key-file: 'X-API-Key: demo-{n}', 'X-Forwarded-For: {ip}'; repeatable")
      ->allow_extra_args(false);
  command->add_option("--key-file", words->key_file,
                      "A file with a key of each caller in a line; sent as X-API-Key unless --header has {key}");
  command->add_option("--method", options.request.method, "The method of each request")->capture_default_str();
  command->add_option("--body", options.request.body, "The body of each request");
  command->add_flag("--impatient", words->impatient, "Ignore Retry-After: rejected callers go on sending");
  command->add_option("--connections", options.connections, "Maximum number of connections")
      ->capture_default_str()
      ->check(CLI::Range(1U, 20'000U));
  command->add_option("--timeout", words->timeout, "Maximum duration of one request")->capture_default_str();
  command->add_option("--seed", options.timetable.seed, "Seed of the random numbers")->capture_default_str();
  command->add_option("--ca", words->ca, "PEM file of the authorities to trust for https (default: the system's)");
  command->add_flag("--i-own-it", words->own,
                    "Allow a target outside this machine and private networks: only for servers of your own");
  command->add_flag("--json", words->json, "Print the result as JSON");
  command->add_flag("--quiet", words->quiet, "Print only the report at the end, without a line each second");
  command->callback([words, &result] { result = load_with(*words); });
}

}  // namespace headgate::cli
