#include "handed_state.hpp"
#include "state_form.hpp"

#include "headgate/admin/admin_board.hpp"
#include "headgate/gateway/candidate.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/limit/override.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/override_service.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace headgate::server {
namespace {

using observe::LogLevel;

/// The maximum length of a section. headgate writes no longer one; a section with a log of requests may reach this
/// length.
constexpr std::uint64_t kLongestSection = std::uint64_t{192} << 20;
constexpr std::size_t kLongestSectionName = 64;
constexpr const char* kDamaged = "it cannot be read";

/// The file, from its beginning to its end.
class StateInput {
 public:
  explicit StateInput(int file) : file_(file) {}
  /// Reads `count` bytes. Returns an empty value if there are fewer.
  std::optional<std::string> bytes(std::uint64_t count) {
    std::string out(count, '\0');
    std::size_t got = 0;
    while (got < out.size()) {
      const auto read = ::pread(file_, out.data() + got, out.size() - got, at_);
      if (read <= 0) return std::nullopt;
      got += static_cast<std::size_t>(read);
      at_ += read;
    }
    return out;
  }
  template <class Number>
  std::optional<Number> number() {
    const auto text = bytes(sizeof(Number));
    return text ? std::optional(StateReader(*text).number<Number>()) : std::nullopt;
  }

 private:
  int file_;
  off_t at_ = 0;
};

struct Section {
  std::string name;
  std::uint16_t version = 0;
  std::string rows;
};

std::optional<Section> next_section(StateInput& input) {
  const auto length = input.number<std::uint32_t>();
  if (!length || *length > kLongestSectionName) return std::nullopt;
  auto name = input.bytes(*length);
  const auto version = input.number<std::uint16_t>();
  const auto size = input.number<std::uint64_t>();
  if (!name || !version || !size || *size > kLongestSection) return std::nullopt;
  auto rows = input.bytes(*size);
  if (!rows) return std::nullopt;
  return Section{std::move(*name), *version, std::move(*rows)};
}

std::optional<limit::LogEntry> next_entry(StateReader& rows) {
  limit::LogEntry out;
  out.since = Instant(Duration(rows.number<std::int64_t>()));
  out.until = Instant(Duration(rows.number<std::int64_t>()));
  out.version = rows.number<std::uint64_t>();
  out.text = rows.text();
  return rows.good() ? std::optional(std::move(out)) : std::nullopt;
}

/// Reads the sections one after the other, and takes their contents over into StateParts.
class StateTaker {
 public:
  StateTaker(const StateParts& parts, bool same_hashes)
      : parts_(parts), same_hashes_(same_hashes), candidate_(parts.candidate_state) {}

  void take(const Section& section) {
    struct Known {
      std::string_view name;
      std::uint16_t version;
      void (StateTaker::*read)(StateReader& rows);
    };
    static constexpr Known kKnown[] = {{kLogSection, kLogVersion, &StateTaker::level},
                                       {kServersSection, kServersVersion, &StateTaker::servers},
                                       {kSizesSection, kSizesVersion, &StateTaker::sizes},
                                       {kGatewaysSection, kGatewaysVersion, &StateTaker::gateways},
                                       {kOverridesSection, kEntriesVersion, &StateTaker::overrides},
                                       {kBansSection, kEntriesVersion, &StateTaker::suspensions},
                                       {kCandidateSection, kCandidateVersion, &StateTaker::candidate},
                                       {kCountersSection, kCountersVersion, &StateTaker::counters},
                                       {kCandidateCountersSection, kCountersVersion, &StateTaker::candidate_counters},
                                       {kEndSection, kEndVersion, &StateTaker::end}};
    const auto* const known = std::ranges::find(kKnown, section.name, &Known::name);
    if (known == std::end(kKnown) || known->version != section.version) {
      taken_.left_out[section.name] = "this version does not know its format";
      return;
    }
    StateReader rows(section.rows);
    (this->*known->read)(rows);
    if (!rows.good()) taken_.left_out[section.name] = kDamaged;
  }
  TakeoverResult done() {
    if (!ended_) taken_.left_out["the rest"] = kDamaged;
    if (!book_.empty()) taken_.overrides = parts_.overrides.restore(book_);
    return std::move(taken_);
  }

 private:
  void level(StateReader& rows) {
    const auto level = static_cast<LogLevel>(rows.number<std::uint8_t>());
    constexpr std::array kLogLevels{LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::off};
    if (std::ranges::find(kLogLevels, level) != kLogLevels.end()) (void)parts_.logs.use_level(level);
  }
  void servers(StateReader& rows) {
    const auto now = std::chrono::steady_clock::now();
    const auto upstreams = parts_.board.watched();
    while (rows.left() > 0 && rows.good()) {
      const std::string upstream(rows.text());
      const std::string server(rows.text());
      const auto marks = rows.number<std::uint8_t>();
      const auto found = std::ranges::find(upstreams, upstream, &admin::WatchedUpstream::name);
      if (!rows.good()) return;
      bool there = false;
      if (found != upstreams.end()) {
        const auto& all = found->watch->servers();
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (all[i] != server) continue;
          there = true;
          if ((marks & kStateDown) != 0) found->watch->mark(i, balance::kDown, true, now);
          if ((marks & kStateDrained) != 0) found->watch->mark(i, balance::kDrained, true, now);
        }
      }
      if (there)
        ++taken_.servers;
      else
        taken_.left_out[std::string("the state of server ").append(server).append(" of ").append(upstream)] =
            "the configuration has no such server";
    }
  }
  void gateways(StateReader& rows) { taken_.gateways = rows.number<std::uint32_t>(); }
  void sizes(StateReader& rows) {
    while (rows.left() > 0) {
      admin::SetSize one;
      one.upstream = rows.text();
      one.server = rows.text();
      for (auto* const number : {&one.weight, &one.max_in_flight, &one.written_weight, &one.written_max_in_flight})
        *number = rows.number<std::uint32_t>();
      if (!rows.good()) return;
      taken_.sizes.push_back(std::move(one));
    }
  }
  void overrides(StateReader& rows) {
    while (rows.left() > 0) {
      const auto entry = next_entry(rows);
      if (!entry) return;
      auto one = limit::read_override(*entry);
      if (one)
        book_.push_back(std::move(*one));
      else
        taken_.left_out[std::string(kOverridesSection)] = kDamaged;
    }
  }
  void suspensions(StateReader& rows) {
    const auto now = headgate::now();
    while (rows.left() > 0) {
      const auto entry = next_entry(rows);
      if (!entry) return;
      const auto ban = limit::read_ban(*entry);
      if (!ban) {
        taken_.left_out[std::string(kBansSection)] = kDamaged;
        continue;
      }
      parts_.bans.apply(*ban, now);
      if (ban->until > now) ++taken_.suspensions;
    }
  }
  void candidate(StateReader& rows) {
    HandoverCandidate handed;
    handed.text = rows.text();
    handed.name = rows.text();
    handed.dropped = rows.number<std::uint8_t>() != 0;
    if (!rows.good() || !parts_.take_candidate) return;
    candidate_ = parts_.take_candidate(handed);
    if (!candidate_ && !handed.dropped) taken_.left_out["the candidate"] = "this version cannot use it";
  }
  void counters(StateReader& rows) { counters_of(rows, parts_.memory); }
  void candidate_counters(StateReader& rows) {
    if (candidate_)
      counters_of(rows, candidate_->memory);
    else
      taken_.left_out[std::string(kCandidateCountersSection)] = "there is no candidate";
  }
  void counters_of(StateReader& rows, limit::MemoryStore& memory) {
    if (!same_hashes_) {
      taken_.left_out[std::string(kCountersSection)] = "this process already uses another secret for hashes of keys";
      return;
    }
    const auto now = headgate::now();
    std::vector<limit::SavedCounter> names(std::min<std::size_t>(rows.number<std::uint32_t>(), rows.left()));
    for (auto& each : names) {
      each.limit = rows.text();
      each.algorithm = rows.text();
      each.state_version = rows.number<std::uint32_t>();
    }
    for (auto count = rows.number<std::uint32_t>(); count > 0 && rows.good(); --count) {
      const auto number = rows.number<std::uint32_t>();
      if (number >= names.size()) return fail(rows);
      auto& counter = names[number];
      counter.hash.low = rows.number<std::uint64_t>();
      counter.hash.high = rows.number<std::uint64_t>();
      counter.full_at = Instant(Duration(rows.number<std::int64_t>()));
      const auto marks = rows.number<std::uint8_t>();
      counter.spent = (marks & kCounterSpent) != 0;
      counter.first = (marks & kCounterFirst) != 0;
      counter.logs = (marks & kCounterLogs) != 0;
      for (auto& each : counter.numbers) each = rows.number<std::int64_t>();
      counter.log.clear();
      if (counter.logs) {
        const auto size = rows.number<std::uint32_t>();
        if (size > limit::SavedCounter::kMaxLog || size > rows.left() / sizeof(std::int64_t)) return fail(rows);
        counter.log.resize(size);
        for (auto& each : counter.log) each = rows.number<std::int64_t>();
      }
      if (rows.good()) restore(counter, memory, now);
    }
  }
  void restore(const limit::SavedCounter& counter, limit::MemoryStore& memory, Instant now) {
    const auto restored = memory.restore(counter, now);
    if (restored == limit::MemoryStore::Restored::yes) ++taken_.counters;
    if (restored == limit::MemoryStore::Restored::unknown_algorithm)
      taken_.left_out["counters of " + counter.limit] =
          "this version stores " + counter.algorithm + " in another format, or does not know it";
  }
  void end(StateReader& rows) {
    ended_ = true;
    if (rows.number<std::uint8_t>() == 0)
      taken_.left_out["some counters"] =
          "the transferred state has at most " + std::to_string(kMaxState >> 20) + " MiB";
  }
  /// Skips the rest of a section, which has no meaning after a wrong number.
  static void fail(StateReader& rows) {
    while (rows.good()) (void)rows.number<std::uint64_t>();
  }

  const StateParts& parts_;
  const bool same_hashes_;
  std::shared_ptr<gateway::CandidateState> candidate_;
  TakeoverResult taken_;
  std::vector<limit::Override> book_;
  bool ended_ = false;
};

}  // namespace

TakeoverResult read_state(int file, const StateParts& parts, bool same_hashes) {
  StateTaker taker(parts, same_hashes);
  StateInput input(file);
  if (const auto magic = input.bytes(kStateMagic.size()); magic && *magic == kStateMagic)
    while (const auto section = next_section(input)) taker.take(*section);
  return taker.done();
}

void tell_of(const TakeoverResult& taken) {
  observe::event(LogLevel::info, "state_taken_over", "the state of the previous process was taken over",
                 {{"counters", taken.counters},
                  {"suspensions", taken.suspensions},
                  {"overrides", taken.overrides},
                  {"servers", taken.servers}});
  constexpr std::size_t kMaxTold = 20;
  std::size_t told = 0;
  for (const auto& [what, reason] : taken.left_out) {
    if (++told > kMaxTold) break;
    observe::event(LogLevel::warning, "state_not_taken_over", "state of the previous process was lost",
                   {{"what", what}, {"reason", reason}});
  }
}

}  // namespace headgate::server
