#include "arrival_source.hpp"

#include "progress.hpp"

#include "headgate/limit/in_flight.hpp"
#include "headgate/simulate/share_text.hpp"

#include <algorithm>
#include <utility>

namespace headgate::cli {
namespace {

using simulate::number_text;

std::string of_requests(std::uint64_t number) { return number_text(number) + (number == 1 ? " request" : " requests"); }

/// The facts about requests that the configuration depends on. They serve to find out whether a log lacks them.
struct LogNeeds {
  bool hosts = false;
  bool queries = false;
  bool tls = false;
  bool durations = false;
};

LogNeeds asked_by(const config::Config& config) {
  LogNeeds out;
  for (const auto& route : config.gateway.routes) {
    out.hosts = out.hosts || !route.host.empty();
    out.queries = out.queries || !route.conditions.query.empty();
    out.tls = out.tls || route.https_port.value_or(0) != 0;
  }
  for (const auto& limit : config.limits)
    for (const auto& tier : limit.tiers)
      for (const auto& rule : tier.rules) out.durations = out.durations || rule.algorithm == &limit::in_flight;
  for (const auto& upstream : config.upstreams) {
    out.durations = out.durations || upstream.concurrency.has_value();
    for (const auto& server : upstream.servers) out.durations = out.durations || server.max_in_flight > 0;
  }
  return out;
}

std::vector<std::string> notes_of(const access_logs::ReadCounts& counts, const LogNeeds& asked) {
  std::vector<std::string> out;
  if (counts.assumed_ok > 0)
    out.push_back(of_requests(counts.assumed_ok) +
                  " had been refused by the old gateway; their servers are assumed to answer 200");
  if (counts.late > 0)
    out.push_back(of_requests(counts.late) +
                  " began before the one that was read before, by more than can be put in order; they count when they "
                  "were read");
  if (counts.no_request > 0)
    out.push_back(number_text(counts.no_request) + " lines tell of something else than requests");
  if (counts.untold_calls > 0)
    out.push_back(number_text(counts.untold_calls) +
                  " calls of the rate limit service are left out, because the log does not have their descriptors (set "
                  "log.descriptors)");
  if (counts.outside > 0) out.push_back(of_requests(counts.outside) + " are not between --from and --until");
  std::string missing;
  const auto lacks = [&](bool is, const char* what) {
    if (is) missing += (missing.empty() ? "" : "; ") + std::string(what);
  };
  const auto& lines = counts.missing;
  lacks(lines.address, "who connected, so all of them come from 0.0.0.0");
  lacks(lines.method, "methods, so they are GET");
  lacks(lines.status, "statuses, so they are 200");
  lacks(lines.query && asked.queries, "query strings, so there are none");
  lacks(lines.host && asked.hosts, "hosts (name one with --host)");
  lacks(lines.scheme && asked.tls, "whether they came over TLS, so they did not (else --as tls)");
  lacks(lines.took && asked.durations, "how long answers took, so they took no time");
  if (!missing.empty()) out.push_back("the log does not tell " + missing);
  return out;
}

}  // namespace

bool ArrivalSource::again() const noexcept { return pattern || std::ranges::find(read.files, "-") == read.files.end(); }

Result<std::unique_ptr<OpenArrivals>, std::string> ArrivalSource::open(const simulate::TriedPolicy& policy) {
  auto out = std::make_unique<OpenArrivals>();
  std::vector<std::size_t> values(assumptions.size());
  if (pattern) {
    out->made_ = std::make_unique<simulate::MadeArrivals>(*pattern, seed);
    current_ = nullptr;
  } else {
    read.values.clear();
    for (std::size_t i = 0; i < assumptions.size(); ++i) {
      if (assumptions[i].from != simulate::Assumption::From::arrival) continue;
      values[i] = read.values.size();
      read.values.push_back(assumptions[i].value);
    }
    auto opened = access_logs::LogArrivals::open(read);
    if (opened.has_error()) return opened.error();
    out->log_ = std::move(*opened);
    current_ = out->log_.get();
  }
  if (assumptions.empty()) return out;
  const auto* const log = out->log_.get();
  const auto* const made = out->made_.get();
  out->assumed_.emplace(
      out->inner(), assumptions,
      [this, log, made, values](std::size_t i) {
        return log != nullptr ? log->value(values[i]) : made->value_of(assumptions[i].value);
      },
      policy.parts.credentials->api_keys());
  return out;
}

void ArrivalSource::show(Progress& progress, std::uint64_t arrivals) const {
  if (current_ == nullptr) return progress.show(0, 0, arrivals);
  const auto [read_bytes, all] = current_->progress();
  progress.show(read_bytes, all, arrivals);
}

simulate::Arrived ArrivalSource::told(const OpenArrivals& read_to_end, const config::Config& config) const {
  simulate::Arrived out;
  const auto* const log = read_to_end.log();
  if (log == nullptr) {
    out.from = pattern_text;
    return out;
  }
  constexpr std::size_t kMax = 3;
  const auto& logs = log->logs();
  for (std::size_t i = 0; i < std::min(kMax, logs.size()); ++i)
    out.from += (i > 0 ? ", " : "") + logs[i].file + (logs[i].format.empty() ? "" : " (" + logs[i].format + ")");
  if (logs.size() > kMax) out.from += " and " + std::to_string(logs.size() - kMax) + " more";
  const auto& counts = log->counts();
  out.unread = counts.unread;
  out.lines = counts.lines;
  for (const auto& line : counts.first_unread) out.first_unread.push_back(line.text());
  auto asked = asked_by(config);
  asked.hosts = asked.hosts && read.host.empty();
  const auto is_tls = [](const auto& each) { return each.what == simulate::Assumption::What::tls; };
  asked.tls = asked.tls && std::ranges::none_of(assumptions, is_tls);
  out.notes = notes_of(counts, asked);
  return out;
}

}  // namespace headgate::cli
