#pragma once
// The complete result of `headgate simulate`, for its three forms: text, JSON and an HTML page. Used by cli and server.

#include "headgate/simulate/assertion.hpp"
#include "headgate/simulate/compare.hpp"
#include "headgate/simulate/suggest.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::simulate {

/// An assertion and its result.
struct Asserted {
  Assertion assertion;
  Held held;
};

/// The source of the arrivals.
struct Arrived {
  std::string from;                       ///< "access.log (combined)", or the pattern
  std::uint64_t unread = 0;               ///< number of unreadable lines
  std::uint64_t lines = 0;                ///< number of all lines; 0 if there was no log
  std::vector<std::string> first_unread;  ///< the first unreadable lines, with their places
  std::vector<std::string> notes;         ///< sentences about facts that a log lacks, late lines and assumptions
};

struct SimulationReport {
  std::string policy;  ///< the file or other source of the policy
  std::string other;   ///< the file that the policy is compared with; empty if there is none
  Arrived arrived;
  Figures figures;
  std::vector<std::string> assumed;  ///< sentences about callers: "every request has the claim plan: free"
  std::optional<Suggestions> suggestions;
  std::optional<Comparison> comparison;
  std::vector<Asserted> asserted;
  Duration took{0};  ///< real time of all runs
  unsigned runs = 1;
};

/// Returns sentences about limits that could not check some requests, and the reasons. `hint` tells the reader what to
/// do.
std::vector<std::string> undecided_notes(const Figures& figures, std::string_view hint = {});

/// Returns the report as JSON, the same for the same runs except for `seconds`.
nlohmann::ordered_json to_json(const SimulationReport& report);

}  // namespace headgate::simulate
