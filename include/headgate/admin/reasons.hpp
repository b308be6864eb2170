#pragma once
// The current problems of this gateway: one list for status, events, /readyz, metrics, alerts and `explain`.

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

/// One problem.
struct Reason {
  ReasonKind kind = ReasonKind::starting;
  /// The subject, for example the name of an upstream, a limit or a file; empty for the gateway itself.
  std::string subject;
  /// Further details, a sentence without its full stop; may be empty, and may contain text from a peer.
  std::string words;
  Instant since{};
};
/// Returns the sentence for the kind of the reason, with its subject, but without `words`.
std::string sentence_of(const Reason& reason);
/// Returns the command to try first.
std::string command_of(const Reason& reason);

/// The list is empty at first. Only the main thread changes it; any thread may read it. It must outlive the registry's
/// scrapes.
///
/// Subjects are names from the configuration, never from callers, because each is a series of headgate_reason.
class Reasons {
 public:
  /// Adds a reason, and reports an event unless another event does so (ReasonRow::told). If the reason is already
  /// listed, only its words change.
  void set(ReasonKind kind, std::string_view subject = {}, std::string words = {});
  /// Removes a reason, and reports an event. Does nothing if it is not listed.
  void clear(ReasonKind kind, std::string_view subject = {});
  /// Sets the reasons of this kind to exactly the given subjects, and clears all others. `wrong` has pairs of subject
  /// and words.
  void set_only(ReasonKind kind, const std::vector<std::pair<std::string, std::string>>& wrong);

  /// Returns the problems, sorted by severity, worst first, then by kind and subject. Any thread.
  std::vector<Reason> list() const;
  /// Returns whether this problem is listed. Any thread.
  bool has(ReasonKind kind, std::string_view subject = {}) const;

  /// Adds headgate_reason to the registry.
  void collect(observe::Registry& registry) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<ReasonKind, std::string>, Reason, std::less<>> reasons_;
};

}  // namespace headgate::admin
