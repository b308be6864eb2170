#pragma once
// Pieces of the page: text that is escaped, and plots.

#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::cli {

/// Text as it stands in HTML, also in an attribute. It is printable() besides.
std::string html(std::string_view text);

/// What a plot has on its axis of time.
struct PlotTime {
  Instant begin{};    ///< of the first part
  Duration width{0};  ///< of each
  Instant from{};     ///< first and last request
  Instant until{};
};

/// All requests as columns, and in front of them those that were rejected, with both axes. Both have one count for each
/// part. `some` says what the latter are.
std::string plot(const PlotTime& time, const std::vector<std::uint64_t>& requests,
                 const std::vector<std::uint64_t>& rejected, std::string_view some);

/// A bar within a cell, of `part` of `whole`.
std::string cell_bar(std::uint64_t part, std::uint64_t whole);

/// The style of the page.
extern const std::string_view kPageStyle;

}  // namespace headgate::cli
