#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/identity/network.hpp"
#include "headgate/identity/sha256.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace headgate::config {
namespace {

Place place_of(const Build& build, const Node& node) {
  const auto position = build.report.position(node.span.begin);
  return {position.line, position.column, std::string(build.report.file_at(node.span.begin))};
}

void add_listener(Build& build, const Node& node, std::map<std::string, const Node*>& seen) {
  const Node* address = node.kind == Kind::object ? text_at(&node, "address") : &node;
  if (address == nullptr || address->kind != Kind::string) return;
  auto options = parse_listen(address->text);
  if (options.has_error()) return;
  const auto [first, fresh] = seen.emplace(options->host + ' ' + std::to_string(options->port), address);
  if (!fresh && options->port != 0) {
    build.report.error(code::kDuplicate, *address,
                       "this address is already listened on, at " + build.report.place(first->second->span.begin),
                       "remove one of the two");
  }
  if (node.kind == Kind::object) {
    std::optional<std::uint16_t> https_port;
    read_https_port(node, https_port);
    read(&node, "proxy_protocol", options->proxy_protocol);
    options->https_port = https_port.value_or(0);
  }
  if (const Node* tls = find(&node, "tls")) build_listener_tls(build, *tls, options->tls.emplace());
  build.config.listen.push_back(std::move(*options));
  build.config.places.listen.push_back(place_of(build, *address));
}

void build_listen(Build& build) {
  const Node* listen = find(&build.root, "listen");
  if (listen == nullptr) return;
  std::map<std::string, const Node*> seen;
  if (listen->kind != Kind::list) return add_listener(build, *listen, seen);
  for (const Node* each : listen->children) add_listener(build, *each, seen);
}

void build_connection_rate(Build& build, const Node* bounds) {
  auto& out = build.config.gateway.bounds;
  for (const Node* each : texts(find(bounds, "exempt")))
    if (const auto network = identity::parse_network(each->text); network.has_value()) out.exempt.push_back(*network);
  const Node* written = text_at(bounds, "connection_rate");
  const auto rate = written == nullptr ? parse_rate("1/second") : parse_rate(written->text);
  if (written == nullptr || rate.has_error()) return;
  constexpr std::uint64_t kMaxCount = 1'000'000;
  if (rate->month || rate->period > std::chrono::hours(1) || rate->count > kMaxCount)
    return build.report.error(code::kRange, *written,
                              "a rate of connections has a period of at most an hour, and at most 1000000 in it",
                              R"(write it by a shorter period, as in "50/second")");
  out.connection_rate = {static_cast<std::uint32_t>(rate->count), rate->period};
}

void build_bounds(Build& build) {
  const Node* bounds = find(&build.root, "bounds");
  auto& out = build.config.gateway.bounds;
  read_size(bounds, "head_size", out.head_bytes);
  read_number(bounds, "head_fields", out.head_fields);
  read_size(bounds, "target_size", out.target_bytes);
  read_number(bounds, "connections", out.connections);
  read_number(bounds, "handshakes", out.handshakes);
  read_number(bounds, "handshakes_per_address", out.handshakes_per_address);
  read_number(bounds, "connections_per_address", out.connections_per_address);
  read_size(bounds, "buffered", out.buffered);
  read_number(find(&build.root, "identity"), "ipv6_prefix", out.ipv6_prefix);
  build_connection_rate(build, bounds);
  if (out.target_bytes <= out.head_bytes) return;
  const Node* target = find(bounds, "target_size");
  const Node* head = find(bounds, "head_size");
  const Node* written = target != nullptr ? target : head;
  if (written == nullptr || written->kind != Kind::string) return;
  build.report.error(code::kConflict, *written,
                     "\"target_size\" (" + size_text(out.target_bytes) + ") is larger than \"head_size\" (" +
                         size_text(out.head_bytes) + "), which includes the target",
                     "raise \"head_size\" or lower \"target_size\"");
}

void build_timeouts(Build& build) {
  const Node* timeouts = find(&build.root, "timeouts");
  auto& out = build.config.gateway.timeouts;
  read(timeouts, "handshake", out.handshake);
  read(timeouts, "idle", out.idle);
  read(timeouts, "head", out.head);
  read(timeouts, "body", out.body);
  read(timeouts, "write", out.write);
  read(timeouts, "tunnel", out.tunnel);
}

/// Why `run` can make no file in this directory, or ""; it makes directories that are missing.
std::string why_no_file_in(std::filesystem::path directory) {
  std::error_code ignored;
  const auto wanted = directory;
  while (!std::filesystem::exists(directory, ignored) && directory.has_parent_path() &&
         directory != directory.parent_path())
    directory = directory.parent_path();
  const bool missing = directory != wanted;
  std::string why;
  if (!std::filesystem::is_directory(directory, ignored))
    why = in_quotes(directory.string()) + " is not a directory";
  else if (access(directory.c_str(), W_OK) != 0)
    why = missing ? "there is no directory " + in_quotes(wanted.string()) + ", and it cannot be made in " +
                        in_quotes(directory.string())
                  : std::generic_category().message(errno);
  return why;
}

// Only a warning, because `check` may run as another user or on another machine.
void check_log_file(Build& build, const Node& target) {
  if (!names_log_file(target.text)) return;
  const std::filesystem::path file(target.text);
  const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  std::string why;
  std::string help = "let the user that headgate runs as write there";
  if (std::filesystem::is_directory(file, ignored)) {
    why = "it is a directory";
    help = "name a file in it, as in " + in_quotes((file / "headgate.log").string());
  } else if (!std::filesystem::exists(file, ignored)) {
    why = why_no_file_in(directory);
  } else if (access(file.c_str(), W_OK) != 0) {
    why = std::generic_category().message(errno);
  }
  if (why.empty() || target.replaced) return;
  build.report.warning(code::kUnwritable, target, "the log " + in_quotes(target.written) + " cannot be written: " + why,
                       help);
}

/// The secret for `key_id`, and what the log says about callers in clear text.
void build_log_identity(Build& build, const Node* log) {
  constexpr std::size_t kShort = 16;  // bytes; a guessed secret shows the caller behind each `key_id`
  auto& out = build.config.log;
  if (const Node* callers = find(log, "callers"); callers != nullptr && callers->kind == Kind::list)
    for (const Node* each : callers->children)
      if (std::find(out.callers.begin(), out.callers.end(), each->text) == out.callers.end())
        out.callers.push_back(each->text);
  const Node* secret = text_at(log, "secret");
  if (secret == nullptr || secret->text.empty()) return;
  if (secret->text.size() < kShort)
    build.report.warning(code::kGuessable, *secret,
                         "a secret of " + std::to_string(secret->text.size()) + " bytes can be guessed",
                         "make one of 16 or more: openssl rand -hex 24");
  const auto digest = identity::sha256(secret->text);
  auto& key = out.key.emplace();
  std::memcpy(&key.low, digest.data(), sizeof key.low);
  std::memcpy(&key.high, digest.data() + sizeof key.low, sizeof key.high);
}

}  // namespace

void build_process(Build& build) {
  const Node* root = &build.root;
  Config& config = build.config;
  read(root, "instance", config.instance);
  bool via = true;
  read(root, "via", via);
  config.gateway.via = via ? config.instance : std::string();
  config.log.instance = config.instance;
  build_listen(build);
  read_number(root, "workers", config.workers);
  read(root, "drain_delay", config.drain_delay);
  read(root, "drain", config.drain);
  read(root, "upgrade_drain", config.upgrade_drain);
  read_number(find(root, "memory"), "max_keys", config.memory.max_keys);
  build_timeouts(build);
  build_bounds(build);
  const Node* rejection = find(root, "rejection");
  read_choice(rejection, "headers", kRejectionHeaders, config.gateway.rejection.headers);
  read_choice(rejection, "body", kRejectionBodies, config.gateway.rejection.body);
  read_choice(root, "error_pages", kErrorPages, config.gateway.error_pages);
  read(root, "usage", config.gateway.usage);
  const Node* log = find(root, "log");
  read_choice(log, "level", kLogLevels, config.log.level);
  read_choice(log, "format", kLogFormats, config.log.format);
  read(log, "access", config.log.access);
  read(log, "error", config.log.error);
  for (const auto& [key, place] :
       {std::pair("access", &config.places.access_log), std::pair("error", &config.places.error_log)}) {
    const Node* target = text_at(log, key);
    if (target == nullptr) continue;
    *place = place_of(build, *target);
    check_log_file(build, *target);
  }
  build_log_identity(build, log);
  build_access_lines(build);
}

NumbersByName numbers_of(const std::vector<const Node*>& nodes) {
  NumbersByName out;
  out.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) out.emplace(nodes[i]->key, i);
  return out;
}

int limit_index(const Build& build, std::string_view name) {
  const auto found = build.limit_numbers.find(name);
  return found == build.limit_numbers.end() ? -1 : static_cast<int>(found->second);
}

std::string route_text(const gateway::RouteOptions& route) {
  return route.name.empty() ? "this route" : "route " + in_quotes(route.name);
}

const Node* nearest_node(std::string_view written, const std::vector<const Node*>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const Node* node : nodes) names.push_back(node->key);
  const auto near = nearest(written, names);
  const auto found = std::find(names.begin(), names.end(), near);
  return near.empty() || found == names.end() ? nullptr : nodes[static_cast<std::size_t>(found - names.begin())];
}

std::string suggestion(std::string_view written, const std::vector<const Node*>& nodes, const Report& report) {
  // Each suggestion compares with all names. A file with so many mistakes is read from its first ones.
  constexpr std::size_t kSuggested = 100;
  if (report.errors() > kSuggested) return "";
  if (const Node* near = nearest_node(written, nodes)) {
    return "did you mean " + in_quotes(near->key) + ", defined at " + report.place(near->key_span.begin) + "?";
  }
  constexpr std::size_t kListed = 12;
  std::string names;
  for (std::size_t i = 0; i < nodes.size() && i < kListed; ++i) names += (i == 0 ? "" : ", ") + nodes[i]->key;
  if (nodes.size() > kListed) names += ", ...";
  return names.empty() ? "" : "there are: " + names;
}

}  // namespace headgate::config
