#pragma once
// Building blocks of the HTML page: escaped text and plots.

#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::cli {

/// Returns text escaped for HTML, including attributes, and made safe with printable().
std::string html(std::string_view text);

/// The time axis of a plot.
struct PlotTime {
  Instant begin{};    ///< start of the first part
  Duration width{0};  ///< width of each part
  Instant from{};     ///< time of the first and last request
  Instant until{};
};

/// Returns a plot with both axes. For each part of the time it has a column for all requests, and in front of that a
/// column for the rejected ones. `requests` and `rejected` have one count for each part. `some` describes the rejected
/// requests.
std::string plot(const PlotTime& time, const std::vector<std::uint64_t>& requests,
                 const std::vector<std::uint64_t>& rejected, std::string_view some);

/// Returns a bar for a cell of a table. The length of the bar is `part` of `whole`.
std::string cell_bar(std::uint64_t part, std::uint64_t whole);

/// The style of the page.
extern const std::string_view kPageStyle;

}  // namespace headgate::cli
