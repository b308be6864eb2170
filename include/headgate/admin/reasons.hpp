#pragma once
// What is wrong with this gateway at the moment: one list for status, events, /readyz, metrics, alerts and `explain`.

#include "headgate/admin/reason_kinds.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/metrics.hpp"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// One thing that is wrong.
struct Reason {
  ReasonKind kind = ReasonKind::starting;
  std::string subject;  ///< what it is about: the name of an upstream, a limit, a file, …; empty: this gateway
  std::string words;    ///< more of it, a sentence without its dot; may be empty and may hold text from a peer
  Instant since{};
};
/// The sentence of its kind, with its subject; without its words.
std::string sentence_of(const Reason& reason);
/// What to type first.
std::string command_of(const Reason& reason);

/// It begins with none. Only the main thread changes it; any thread may read it. It outlives the registry's scrapes.
///
/// Subjects are names from the configuration, never from callers: each is a series of headgate_reason.
class Reasons {
 public:
  /// It is wrong from now on; an event says so, unless another one does (ReasonRow::told). If it was wrong already,
  /// only the words change.
  void set(ReasonKind kind, std::string_view subject = {}, std::string words = {});
  /// It is right again, with an event. Nothing happens if it was not wrong.
  void clear(ReasonKind kind, std::string_view subject = {});
  /// Exactly these subjects of this kind are wrong: sets them, and clears all others. Pairs of subject and words.
  void set_only(ReasonKind kind, const std::vector<std::pair<std::string, std::string>>& wrong);

  /// The worst first, then by kind and subject. Any thread.
  std::vector<Reason> list() const;
  /// Any thread.
  bool has(ReasonKind kind, std::string_view subject = {}) const;

  /// Adds headgate_reason to the registry.
  void collect(observe::Registry& registry) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<ReasonKind, std::string>, Reason, std::less<>> reasons_;
};

}  // namespace headgate::admin
