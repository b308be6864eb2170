#pragma once
// The report of a simulation as a page that stands alone.

#include "headgate/simulate/report.hpp"

#include <string>

namespace headgate::cli {

/// HTML with plots, for the screen, light and dark, and for paper. It has no script, and asks for nothing from outside.
std::string simulate_page(const simulate::SimulationReport& report);

}  // namespace headgate::cli
