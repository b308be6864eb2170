#pragma once
// The report of a simulation for people: text for a terminal and an HTML page.

#include "headgate/simulate/report.hpp"

#include <cstddef>
#include <string>

namespace headgate::cli {

/// Returns several lines. Tables are at most `width` columns wide.
std::string simulate_text(const simulate::SimulationReport& report, bool colours, std::size_t width);

/// Returns the assertions that failed, one per line with the actual figure; empty if all hold.
std::string not_held_text(const simulate::SimulationReport& report);

/// Returns HTML with plots, for light and dark screens and for paper. It has no script and loads nothing from
/// elsewhere.
std::string simulate_page(const simulate::SimulationReport& report);

}  // namespace headgate::cli
