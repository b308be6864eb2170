#pragma once
// All that `headgate simulate` tells, in one place for its three forms: text, JSON and a page.

#include "headgate/simulate/assertion.hpp"
#include "headgate/simulate/compare.hpp"
#include "headgate/simulate/suggest.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::simulate {

/// What was asserted, and what came of it.
struct Asserted {
  Assertion assertion;
  Held held;
};

/// Where arrivals came from.
struct Arrived {
  std::string from;                       ///< "access.log (combined)", or the pattern
  std::uint64_t unread = 0;               ///< lines that could not be read
  std::uint64_t lines = 0;                ///< all lines; 0: there was no log
  std::vector<std::string> first_unread;  ///< with their places
  std::vector<std::string> notes;         ///< sentences on what a log did not tell, was late or was assumed
};

struct SimulationReport {
  std::string policy;  ///< the file, or what stood in its place
  std::string other;   ///< the file that it is compared with; empty: none
  Arrived arrived;
  Figures figures;
  std::vector<std::string> assumed;  ///< sentences of callers: "every request has the claim plan: free"
  std::optional<Suggestions> suggestions;
  std::optional<Comparison> comparison;
  std::vector<Asserted> asserted;
  Duration took{0};  ///< of all runs, by the clock on the wall
  unsigned runs = 1;
};

/// Sentences on limits that could not be asked about some requests, and why.
std::vector<std::string> undecided_notes(const Figures& figures);

/// One document, the same for the same runs but for `seconds`.
nlohmann::ordered_json to_json(const SimulationReport& report);

}  // namespace headgate::simulate
