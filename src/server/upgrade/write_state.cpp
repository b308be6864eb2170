#include "handed_state.hpp"
#include "state_form.hpp"

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/gateway/candidate.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/limit/override.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/override_service.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace headgate::server {
namespace {

/// Number of rows in a section. If a section cannot be read, no more than these are lost.
constexpr std::size_t kRowsOfSection = 1024;

/// A file in memory to which sections are written, up to a maximum size.
class StateFile {
 public:
  explicit StateFile(std::uint64_t most) : file_(::memfd_create("headgate-state", MFD_CLOEXEC)), most_(most) {
    write(kStateMagic);
  }

  /// Writes a section. Returns false if there is no room left.
  bool section(std::string_view name, std::uint16_t version, const StateWriter& rows) {
    StateWriter head;
    head.text(name);
    head.number(version);
    head.number(static_cast<std::uint64_t>(rows.size()));
    if (size_ + head.size() + rows.size() > most_) return false;
    return write(head.bytes()) && write(rows.bytes());
  }
  /// Returns the descriptor; -1 if something could not be written.
  int release() { return good_ ? std::exchange(file_, -1) : -1; }
  ~StateFile() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  bool write(std::string_view bytes) {
    while (good_ && !bytes.empty()) {
      const auto written = ::write(file_, bytes.data(), bytes.size());
      good_ = written > 0;
      if (!good_) break;
      size_ += static_cast<std::uint64_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return good_;
  }

  int file_;
  std::uint64_t most_;
  std::uint64_t size_ = 0;
  bool good_ = file_ >= 0;
};

void write_entry(const limit::LogEntry& entry, StateWriter& out) {
  out.number(static_cast<std::int64_t>(entry.since.time_since_epoch().count()));
  out.number(static_cast<std::int64_t>(entry.until.time_since_epoch().count()));
  out.number(entry.version);
  out.text(entry.text);
}

template <class Entries>
void write_entries(std::string_view name, const Entries& entries, StateFile& file) {
  StateWriter rows;
  std::size_t count = 0;
  for (const auto& each : entries) {
    write_entry(limit::entry_of(each), rows);
    if (++count % kRowsOfSection != 0) continue;
    file.section(name, kEntriesVersion, rows);
    rows.clear();
  }
  if (rows.size() > 0) file.section(name, kEntriesVersion, rows);
}

void write_servers(const admin::AdminBoard& board, StateFile& file) {
  StateWriter rows;
  for (const auto& upstream : board.watched()) {
    const auto& servers = upstream.watch->servers();
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const auto marks = static_cast<std::uint8_t>((upstream.watch->marked(i, balance::kDrained) ? kStateDrained : 0) |
                                                   (upstream.watch->marked(i, balance::kDown) ? kStateDown : 0));
      if (marks == 0) continue;
      rows.text(upstream.name);
      rows.text(servers[i]);
      rows.number(marks);
    }
  }
  if (rows.size() > 0) file.section(kServersSection, kServersVersion, rows);
}

/// Writes counters together with the limits that they name, so that each section can be read alone.
class CounterSections {
 public:
  CounterSections(StateFile& file, std::string_view name) : file_(file), name_(name) {}
  ~CounterSections() { end(); }

  void add(const limit::SavedCounter& counter) {
    if (full_) return;
    rows_.number(number_of(counter));
    rows_.number(counter.hash.low);
    rows_.number(counter.hash.high);
    rows_.number(static_cast<std::int64_t>(counter.full_at.time_since_epoch().count()));
    rows_.number(static_cast<std::uint8_t>((counter.spent ? kCounterSpent : 0) | (counter.first ? kCounterFirst : 0) |
                                           (counter.logs ? kCounterLogs : 0)));
    for (const auto number : counter.numbers) rows_.number(number);
    if (counter.logs) {
      rows_.number(static_cast<std::uint32_t>(counter.log.size()));
      for (const auto number : counter.log) rows_.number(number);
    }
    constexpr std::size_t kLong = std::size_t{1} << 20;
    if (++count_ == kRowsOfSection || rows_.size() > kLong) end();
  }
  bool all_written() const noexcept { return !full_; }
  void end() {
    if (count_ == 0) return;
    StateWriter section;
    section.number(static_cast<std::uint32_t>(names_.size()));
    for (const auto& [limit, algorithm, version] : names_) {
      section.text(limit);
      section.text(algorithm);
      section.number(version);
    }
    section.number(static_cast<std::uint32_t>(count_));
    section.raw(rows_.bytes());
    full_ = !file_.section(name_, kCountersVersion, section);
    rows_.clear();
    names_.clear();
    count_ = 0;
  }

 private:
  struct Name {
    std::string limit;
    std::string algorithm;
    std::uint32_t version = 0;
  };

  std::uint32_t number_of(const limit::SavedCounter& counter) {
    for (std::size_t i = names_.size(); i-- > 0;)
      if (names_[i].limit == counter.limit && names_[i].algorithm == counter.algorithm)
        return static_cast<std::uint32_t>(i);
    names_.push_back({counter.limit, counter.algorithm, counter.state_version});
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

  StateFile& file_;
  const std::string_view name_;
  StateWriter rows_;
  std::vector<Name> names_;
  std::size_t count_ = 0;
  bool full_ = false;
};

/// Writes the counters. Returns false if not all of them fit.
bool write_counters(const limit::MemoryStore& memory, Instant now, std::string_view name, StateFile& file) {
  CounterSections counters(file, name);
  memory.save(now, [&counters](const limit::SavedCounter& counter) { counters.add(counter); });
  counters.end();
  return counters.all_written();
}

void write_sizes(const std::vector<admin::SetSize>& sizes, StateFile& file) {
  if (sizes.empty()) return;
  StateWriter rows;
  for (const auto& each : sizes) {
    rows.text(each.upstream);
    rows.text(each.server);
    for (const auto number : {each.weight, each.max_in_flight, each.written_weight, each.written_max_in_flight})
      rows.number(number);
  }
  file.section(kSizesSection, kSizesVersion, rows);
}

}  // namespace

// Changes by operators are written first: they are small, and must not be left out because callers have filled the file
// with counters.
int write_state(const StateParts& parts, std::uint64_t most) {
  const auto now = headgate::now();
  StateFile file(most);
  StateWriter row;
  const auto active = parts.operators.now().active;
  // If the error log is off, its level was not chosen by an operator.
  const bool events = active && active->config->log.error != "off";
  if (events && parts.logs.level() != active->config->log.level) {
    row.number(static_cast<std::uint8_t>(parts.logs.level()));
    file.section(kLogSection, kLogVersion, row);
    row.clear();
  }
  if (parts.gateways > 0) {
    row.number(parts.gateways);
    file.section(kGatewaysSection, kGatewaysVersion, row);
    row.clear();
  }
  write_servers(parts.board, file);
  write_sizes(parts.sizes, file);
  write_entries(kOverridesSection, parts.overrides.book().list(now), file);
  auto bans = parts.bans.remembered();
  std::stable_partition(bans.begin(), bans.end(),
                        [](const limit::Ban& ban) { return ban.reason == limit::BanReason::operated; });
  write_entries(kBansSection, bans, file);
  if (parts.candidate) {
    row.text(parts.candidate->text);
    row.text(parts.candidate->name);
    row.number(static_cast<std::uint8_t>(parts.candidate->dropped ? 1 : 0));
    file.section(kCandidateSection, kCandidateVersion, row);
    row.clear();
  }
  bool all = write_counters(parts.memory, now, kCountersSection, file);
  if (parts.candidate_state)
    all = write_counters(parts.candidate_state->memory, now, kCandidateCountersSection, file) && all;
  row.number(static_cast<std::uint8_t>(all ? 1 : 0));
  file.section(kEndSection, kEndVersion, row);
  return file.release();
}

}  // namespace headgate::server
