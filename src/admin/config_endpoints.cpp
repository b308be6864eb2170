#include "endpoint_groups.hpp"

#include "headgate/admin/reload_endpoint.hpp"
#include "headgate/core/json_spelling.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace headgate::admin {
namespace {

using ConfigJson = nlohmann::ordered_json;

constexpr std::size_t kMaxDifferences = 1000;

const config::Described* described(const OperatorBoard::State& state) {
  return state.active && state.active->config->described.json ? &state.active->config->described : nullptr;
}

/// Finds the places where two configurations differ. If a node differs as a whole, the places below it are not listed.
class Differences {
 public:
  Differences(const config::Described& active, const config::Described& file) : active_(active), file_(file) {}

  ConfigJson run() {
    compare("", ConfigJson::parse(*active_.json), ConfigJson::parse(*file_.json));
    return std::move(out_);
  }
  bool complete() const noexcept { return complete_; }

 private:
  static bool same_secret(const config::Described& a, const config::Described& b, const std::string& pointer) {
    const auto mine = a.hidden.find(pointer);
    const auto other = b.hidden.find(pointer);
    return (mine == a.hidden.end() && other == b.hidden.end()) ||
           (mine != a.hidden.end() && other != b.hidden.end() && mine->second == other->second);
  }

  void differ(const std::string& pointer, const ConfigJson* active, const ConfigJson* file) {
    if (out_.size() == kMaxDifferences) {
      complete_ = false;
      return;
    }
    ConfigJson row = {{"pointer", pointer}};
    if (active != nullptr) row["active"] = *active;
    if (file != nullptr) row["file"] = *file;
    if (active != nullptr && file != nullptr && *active == *file) row["secret_differs"] = true;
    out_.push_back(std::move(row));
  }

  void compare(const std::string& pointer, const ConfigJson& active, const ConfigJson& file) {
    if (active.is_object() && file.is_object()) {
      for (const auto& [key, value] : active.items()) {
        const auto at = file.find(key);
        const auto below = pointer + '/' + pointer_part(key);
        if (at == file.end())
          differ(below, &value, nullptr);
        else
          compare(below, value, *at);
      }
      for (const auto& [key, value] : file.items())
        if (!active.contains(key)) differ(pointer + '/' + pointer_part(key), nullptr, &value);
      return;
    }
    if (active.is_array() && file.is_array()) {
      for (std::size_t i = 0; i < std::max(active.size(), file.size()); ++i) {
        const auto below = pointer + '/' + std::to_string(i);
        if (i < active.size() && i < file.size())
          compare(below, active[i], file[i]);
        else
          differ(below, i < active.size() ? &active[i] : nullptr, i < file.size() ? &file[i] : nullptr);
      }
      return;
    }
    if (active != file || !same_secret(active_, file_, pointer)) differ(pointer, &active, &file);
  }

  const config::Described& active_;
  const config::Described& file_;
  ConfigJson out_ = ConfigJson::array();
  bool complete_ = true;
};

AdminAnswer no_file() { return {.status = 404, .body = "This gateway was started without a file."}; }

std::string json_of(const std::string& text) { return ConfigJson(text).dump(); }

AdminAnswer show(const OperatorBoard& board) {
  const auto state = board.now();
  const auto* shown = described(state);
  if (shown == nullptr) return no_file();
  const auto& config = *state.active->config;
  // `shown->json` is already JSON and may be large, so it is not parsed and written again.
  return {.body = "{\"file\":" + json_of(config.file) + ",\"sha256\":" + json_of(config.sha256) +
                  ",\"since\":" + json_of(moment_text(state.since)) + ",\"config\":" + *shown->json + "}\n",
          .type = AdminAnswer::kJson};
}

AdminAnswer places(const OperatorBoard& board) {
  const auto state = board.now();
  const auto* shown = described(state);
  if (shown == nullptr || !shown->places) return no_file();
  return {.body = "{\"file\":" + json_of(state.active->config->file) + ",\"places\":" + *shown->places + "}\n",
          .type = AdminAnswer::kJson};
}

AdminAnswer compare(const OperatorBoard& board, const config::ReadAgain& read_again) {
  const auto state = board.now();
  const auto* shown = described(state);
  if (shown == nullptr) return no_file();
  auto read = read_again();
  if (!read.config) {
    ReloadResult result;
    result.file = std::move(read.file);
    result.mistakes = std::move(read.mistakes);
    return mistakes_answer(result, "The file cannot be used, so it cannot be compared.");
  }
  Differences differences(*shown, read.config->described);
  auto rows = differences.run();
  const ConfigJson out = {{"file", read.file},
                          {"differs", !rows.empty()},
                          {"differences", std::move(rows)},
                          {"complete", differences.complete()}};
  return {.body = services::text_of(out), .type = AdminAnswer::kJson};
}

/// Compares the configuration in force with the file, on the side thread. Callers that arrive while a comparison waits
/// for its turn share it, so that callers can delay a reload by at most two comparisons. Callers that still wait when
/// the side thread stops are dropped.
class Comparisons : public std::enable_shared_from_this<Comparisons> {
 public:
  Comparisons(const OperatorBoard& board, RunAside aside, const config::ReadAgain& read_again)
      : board_(board), aside_(std::move(aside)), read_again_(read_again) {}

  /// Adds a caller. Admin thread only. Drops `give` if the gateway is ending.
  void ask(const AdminEndpoint::Give& give) {
    const std::lock_guard lock(mutex_);
    auto next = next_.lock();
    if (next) return next->push_back(give);
    next = std::make_shared<Recipients>(Recipients{give});
    next_ = next;
    (void)aside_([self = shared_from_this(), next] { self->run(*next); });
  }

 private:
  using Recipients =
      std::vector<AdminEndpoint::Give>;  // The callers that share a comparison; owned by that comparison.

  void run(const Recipients& asked) {
    {
      const std::lock_guard lock(mutex_);
      next_.reset();
    }
    const auto answer = compare_safely();
    for (const auto& give : asked) give(answer);
  }
  AdminAnswer compare_safely() const {
    try {
      return compare(board_, read_again_);
    } catch (const std::exception& failure) {
      return {.status = 500, .body = failure.what()};
    }
  }

  const OperatorBoard& board_;
  const RunAside aside_;
  const config::ReadAgain& read_again_;
  std::mutex mutex_;
  std::weak_ptr<Recipients> next_;  // The comparison that waits for its turn.
};

}  // namespace

std::vector<AdminEndpoint> config_endpoints(OperatorBoard& board, RunAside aside, const config::ReadAgain& read_again) {
  std::vector<AdminEndpoint> out;
  out.push_back(
      {.method = "GET",
       .path = "/api/v1/config",
       .answer = [&board](const AdminCall&) { return show(board); },
       .about = {.summary = "The configuration in force, with defaults, without secrets", .answer = "Config"}});
  out.push_back({.method = "GET",
                 .path = "/api/v1/config/places",
                 .answer = [&board](const AdminCall&) { return places(board); },
                 .about = {.summary = "Where the values of the configuration in force are written: by JSON pointer the "
                                      "line and column, of an included file also its path",
                           .answer = "ConfigPlaces"}});
  out.push_back(
      {.method = "GET",
       .path = "/api/v1/config/diff",
       .answer_later = [comparisons = std::make_shared<Comparisons>(board, std::move(aside), read_again)](
                           const AdminCall&, const AdminEndpoint::Give& give) { comparisons->ask(give); },
       .about = {.summary = "Where the file differs from the configuration in force", .answer = "ConfigDiff"}});
  return out;
}

}  // namespace headgate::admin
