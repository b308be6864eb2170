#pragma once
// Advice: what is legal, and surely not meant. A piece of advice is a row of a table and a file; each is given only
// where what it says is true. `headgate check` shows them, a gateway that runs does not.

#include "config/build.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headgate::config {

class Adviser;

/// One piece of advice.
struct AdviceRow {
  std::string_view code;        ///< stable: "HG6.."
  std::string_view name;        ///< as "accept_advice" may name it
  std::string_view what;        ///< what is found, for the page; a sentence without its dot
  std::string_view why;         ///< why it is surely not meant; the same
  void (*give)(Adviser& given)  ///< looks for it, in time linear in the size of the configuration
      = nullptr;
};

/// Sorted by code. "accepted_in_vain" is the first, and given last.
std::span<const AdviceRow> advice_rows();

/// A limit that requests of a route are counted by.
struct PlannedUse {
  std::size_t limit = 0;  ///< number in Config::limits
  const gateway::LimitUse* how = nullptr;
  const Node* node = nullptr;  ///< where the route, or all routes, name it
};

/// What pieces of advice look at, and how they are told. For a configuration without errors; as long as its Build.
class Adviser {
 public:
  explicit Adviser(Build& build);
  void run();

  const Build& build() const noexcept { return build_; }
  const Config& config() const noexcept { return build_.config; }

  /// The limits of a route: those of all routes that it does not skip, then its own.
  std::span<const PlannedUse> plan(std::size_t route) const noexcept;
  /// Whether each caller of the route is kept to a share by a limit of it other than `but`: one that rejects, that
  /// applies to everybody, and whose key no caller can choose.
  bool keeps_callers_apart(std::size_t route, std::size_t but) const;
  const Node& limit_node(std::size_t limit) const { return *build_.limit_nodes[limit]; }

  /// Gives the advice of the row that runs, unless it is accepted. Advice on the same place is not given twice.
  void say(const Node& value, std::string message, std::string help);
  void say_at_key(const Node& member, std::string message, std::string help);

  /// Entries of "accept_advice" that no advice needed.
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
  std::vector<PlannedUse> uses_;     // of all routes, one after the other
  std::vector<std::size_t> begins_;  // of each route in uses_, and the end
  std::vector<bool> apart_;          // by limit: keeps_callers_apart() by itself
  std::vector<Accepted> entries_;
  std::unordered_map<std::string, std::size_t> accepted_;  // "HG601 /limits/a": number in entries_
};

/// Warns of entries of "accept_advice" that name no advice.
void check_accepted_advice(Build& build);
/// Adds all advice that is not accepted to the report; nothing if there are errors.
void advise(Build& build);

// The pieces: each looks for one thing.
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

/// Where tier number `tier` of the limit written at `limit` is written; null if it is a word.
const Node* tier_section(const Node& limit, std::size_t tier);

/// Whether every caller has a key of this limit, or is rejected without one.
bool counts_everybody(const limit::Limit& limit);

}  // namespace headgate::config
