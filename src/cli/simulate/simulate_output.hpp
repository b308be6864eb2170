#pragma once
// The report of a simulation for people at a terminal.

#include "headgate/simulate/report.hpp"

#include <cstddef>
#include <string>

namespace headgate::cli {

/// Several lines. A table is at most `width` columns wide.
std::string simulate_text(const simulate::SimulationReport& report, bool colours, std::size_t width);

/// What was asserted and does not hold, each on its line with its figure; empty: all holds.
std::string not_held_text(const simulate::SimulationReport& report);

/// HTML with plots, for the screen, light and dark, and for paper. It has no script, and asks for nothing from outside.
std::string simulate_page(const simulate::SimulationReport& report);

}  // namespace headgate::cli
