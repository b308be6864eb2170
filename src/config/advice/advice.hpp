#pragma once
// Advice on configurations that are valid but surely not intended. A piece of advice is a row of a table and a source
// file, and is given only where it is certainly right. `headgate check` shows advice; a running gateway does not.

#include "config/build.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headgate::config {

class Adviser;

/// A row of the table of advice.
struct AdviceRow {
  std::string_view code;        ///< stable code, "HG6.."
  std::string_view name;        ///< name, for "accept_advice"
  std::string_view what;        ///< what the advice finds, for docs/advice.md; a sentence without its full stop
  std::string_view why;         ///< why the setting is surely not intended; a sentence without its full stop
  void (*give)(Adviser& given)  ///< searches for the setting, in time linear in the size of the configuration
      = nullptr;
};

/// Returns the rows, sorted by code. The first row, "accepted_in_vain", runs last.
std::span<const AdviceRow> advice_rows();

/// A limit that counts the requests of a route.
struct PlannedUse {
  std::size_t limit = 0;  ///< index in Config::limits
  const gateway::LimitUse* how = nullptr;
  const Node* node = nullptr;  ///< the place where the route, or the settings of all routes, names the limit
};

/// Runs the rows of the table on a configuration, and collects their advice. The configuration must be free of errors,
/// and its Build must outlive the adviser.
class Adviser {
 public:
  explicit Adviser(Build& build);
  void run();

  const Build& build() const noexcept { return build_; }
  const Config& config() const noexcept { return build_.config; }

  /// Returns the limits of a route: first those of all routes that it does not skip, then its own.
  std::span<const PlannedUse> plan(std::size_t route) const noexcept;
  /// Returns whether a limit of the route other than `but` keeps each caller to a share. Such a limit rejects, applies
  /// to all callers, and has a key that no caller can choose.
  bool keeps_callers_apart(std::size_t route, std::size_t but) const;
  const Node& limit_node(std::size_t limit) const { return *build_.limit_nodes[limit]; }

  /// Adds advice of the current row about this place, unless "accept_advice" has it. Further advice about the same
  /// place is dropped.
  void say(const Node& value, std::string message, std::string help);
  void say_at_key(const Node& member, std::string message, std::string help);

  /// Returns the entries of "accept_advice" that matched no advice.
  std::vector<const Node*> unused_entries() const;

 private:
  struct Accepted {
    const Node* node = nullptr;
    bool used = false;
  };
  void plan_routes();
  void read_accepted();
  bool accepts(const Node& node);

  Build& build_;
  const AdviceRow* row_ = nullptr;
  std::vector<PlannedUse> uses_;  // limits of all routes, one route after the other
  // For each route, the index in uses_ at which its limits begin; and the end of uses_.
  std::vector<std::size_t> begins_;
  std::vector<bool> apart_;  // for each limit, whether it alone keeps callers apart
  std::vector<Accepted> entries_;
  // index in entries_ by code and place, such as "HG601 /limits/a"
  std::unordered_map<std::string, std::size_t> accepted_;
};

/// Warns of entries of "accept_advice" that name no advice.
void check_accepted_advice(Build& build);
/// Adds all advice that is not accepted to the report. Does nothing if the report has errors.
void advise(Build& build);

// Each of these functions searches for one piece of advice.
void advise_accepted_in_vain(Adviser& given);
void advise_never_binds(Adviser& given);
void advise_uncounted_callers(Adviser& given);
void advise_retries_beyond_timeout(Adviser& given);
void advise_key_from_anyone(Adviser& given);
void advise_leases_in_vain(Adviser& given);
void advise_quota_in_memory(Adviser& given);
void advise_open_admin(Adviser& given);
void advise_ban_of_others(Adviser& given);
void advise_bound_of_a_tunnel(Adviser& given);

/// Returns the section of tier number `tier`, which is `limit` itself if the limit has no tiers; null if the tier has
/// no section.
const Node* tier_section(const Node& limit, std::size_t tier);

/// Returns whether this limit counts every caller: callers without a key are not skipped, and every tier has a rate.
bool counts_everybody(const limit::Limit& limit);

}  // namespace headgate::config
