#include "simulate_live.hpp"

#include "headgate/access_logs/log_arrivals.hpp"
#include "headgate/admin/reload_endpoint.hpp"
#include "headgate/config/load.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/services/ban_json.hpp"
#include "headgate/simulate/report.hpp"

#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace headgate::server {
namespace {

constexpr int kBusyShare = 10;  ///< the simulation may run for at most 1/kBusyShare of the time

/// A file in memory, for code that reads files.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(::memfd_create("recent", MFD_CLOEXEC)) {
    while (descriptor_ >= 0 && !text.empty()) {
      const auto written = ::write(descriptor_, text.data(), text.size());
      if (written <= 0) throw std::runtime_error("There is not enough memory to copy the last lines of the log.");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (descriptor_ < 0) throw std::runtime_error("No file descriptor is free to copy the last lines of the log.");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// The part of the log that was read, and its gaps.
struct Replayed {
  simulate::Trial run;
  simulate::Arrived arrived;
};

/// Returns the active policy. Its limits are counted anew, in memory.
simulate::TriedPolicy policy_in_force(const services::ActiveConfig& active) {
  simulate::TriedPolicy out;
  out.parts.compiled = active.compiled;
  out.parts.credentials = active.credentials;
  out.max_keys = active.config->memory.max_keys;
  return out;
}

Replayed replay(const simulate::TriedPolicy& policy, const std::string& path) {
  access_logs::ReadOptions options;
  options.files = {path};
  auto opened = access_logs::LogArrivals::open(options);
  if (opened.has_error()) throw std::runtime_error(opened.error());
  Replayed out;
  out.run = simulate::run(policy, **opened, {.keep = simulate::RunTally::Keep::each_request});
  const auto& counts = (*opened)->counts();
  out.arrived.from = "the last minutes of this gateway";
  out.arrived.lines = counts.lines;
  out.arrived.unread = counts.unread;
  if (counts.untold_calls > 0)
    out.arrived.notes.push_back(std::to_string(counts.untold_calls) +
                                " calls of the rate limit service are left out, because the log does not have their "
                                "descriptors (set log.descriptors)");
  if (counts.assumed_ok > 0)
    out.arrived.notes.push_back(std::to_string(counts.assumed_ok) +
                                " requests had been refused; their servers are assumed to answer 200");
  return out;
}

}  // namespace

void SimulateLive::ask(std::string config, const admin::AdminEndpoint::Give& give) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (runs_ || now < next_)
      return give({.status = 429,
                   .body = "Another policy is being tried, or was tried a moment ago. Try again in a few seconds."});
    runs_ = true;
  }
  const auto run = [self = shared_from_this(), config = std::move(config), give] {
    const auto begun = std::chrono::steady_clock::now();
    admin::AdminAnswer out;
    try {
      out = self->answer(config);
    } catch (const std::exception& failure) {
      out = {.status = 422, .body = failure.what()};
    }
    const auto end = std::chrono::steady_clock::now();
    {
      const std::lock_guard lock(self->mutex_);
      self->runs_ = false;
      self->next_ = end + (end - begun) * (kBusyShare - 1);
    }
    give(std::move(out));
  };
  if (aside_(run)) return;
  const std::lock_guard lock(mutex_);
  runs_ = false;
}

admin::AdminAnswer SimulateLive::answer(const std::string& text) {
  const observe::NoEvents none;  // no events are logged, also while the keys of the policy are read
  const auto active = operators_.now().active;
  const auto lines = logs_.recent();
  if (!active || lines.empty())
    return {
        .status = 409,
        .body = "There are no requests of the last minutes: the access log is off, or no client has sent a request."};
  admin::ReloadResult read;
  read.file = "the policy";
  auto loaded =
      config::load_candidate(text, std::filesystem::path(active->config->file).parent_path().string(), read.file);
  read.mistakes = std::move(loaded.diagnostics);
  if (!loaded.config) return admin::mistakes_answer(read, "The policy cannot be used.");
  const MemoryFile file(lines);
  auto before = replay(policy_in_force(*active), file.path());
  auto after = replay(simulate::policy_of(*loaded.config), file.path());
  simulate::SimulationReport report;
  report.policy = "the policy in force";
  report.other = read.file;
  report.arrived = std::move(before.arrived);
  report.comparison = simulate::compare(before.run, after.run);
  report.figures = std::move(before.run.figures);
  report.runs = 2;
  return {.body = services::text_of(simulate::to_json(report)), .type = admin::AdminAnswer::kJson};
}

}  // namespace headgate::server
