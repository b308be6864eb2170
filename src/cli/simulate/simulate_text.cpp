#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "simulate_output.hpp"

#include "headgate/simulate/share_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace headgate::cli {
namespace {

using simulate::Figures;
using simulate::LimitFigures;
using simulate::number_text;
using simulate::percent_text;
using simulate::share_text;
using simulate::SimulationReport;
using simulate::TierFigures;

std::string plural(std::uint64_t number, const std::string& word) {
  return number_text(number) + ' ' + word + (number == 1 ? "" : "s");
}

std::string quoted_words(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "\"" : ", \"") + word + '"';
  return out;
}

/// Returns a row of bars that shows when a limit rejects. Each bar is a part of the time, and the highest bar has the
/// most rejections.
std::string bars(const std::vector<std::uint64_t>& counts) {
  constexpr std::size_t kMax = 24;
  constexpr std::array<std::string_view, 9> kBars{" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                                  "\u2585", "\u2586", "\u2587", "\u2588"};
  const auto columns = std::min(kMax, counts.size());
  std::vector<std::uint64_t> sums(columns);
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i * columns / counts.size()] += counts[i];
  const auto most = columns == 0 ? 0 : *std::ranges::max_element(sums);
  if (most == 0) return {};
  std::string out;
  for (const auto sum : sums) out += sum == 0 ? "\u00b7" : kBars[1 + (sum - 1) * 8 / most];
  return out;
}

/// Returns the worst key of a limit within a tier; null if there is none.
const simulate::KeyFigures* worst_of(const LimitFigures& limit, const TierFigures& tier) {
  const auto found = std::ranges::find(limit.worst, tier.name, &simulate::KeyFigures::tier);
  return found == limit.worst.end() ? nullptr : &*found;
}

/// The optional columns of a table of limits.
struct Columns {
  bool tiers = false;
  bool delayed = false;
  bool banned = false;
  bool rejects = false;
};

Columns columns_of(const Figures& figures) {
  Columns out;
  for (const auto& limit : figures.limits) {
    out.banned = out.banned || limit.banned > 0;
    for (const auto& tier : limit.tiers) {
      out.tiers = out.tiers || !tier.name.empty();
      out.delayed = out.delayed || tier.delayed > 0;
      out.rejects = out.rejects || tier.rejected > 0;
    }
  }
  return out;
}

std::vector<Cell> row_of(const Figures& figures, const LimitFigures& limit, const TierFigures& tier, bool first,
                         const Columns& columns) {
  std::vector<Cell> cells{first ? limit.name + (limit.observed ? " (observed)" : "") : std::string()};
  if (columns.tiers) cells.emplace_back(tier.name.empty() ? "-" : tier.name);
  cells.emplace_back(number_text(tier.requests));
  const auto paint = tier.rejected > 0 ? Paint::bad : Paint::none;
  cells.emplace_back(number_text(tier.rejected), paint);
  cells.emplace_back(share_text(tier.rejected, tier.requests), paint);
  cells.emplace_back(number_text(tier.keys));
  cells.emplace_back(number_text(tier.keys_rejected));
  if (columns.delayed) cells.emplace_back(number_text(tier.delayed));
  if (columns.banned) cells.emplace_back(first ? number_text(limit.banned) : std::string());
  if (!columns.rejects) return cells;
  if (const auto* const key = worst_of(limit, tier); key != nullptr && tier.rejected > 0) {
    cells.emplace_back(key->key.empty() ? "(not kept)" : key->key);
    cells.emplace_back(share_text(key->rejected, tier.rejected));
    cells.emplace_back(simulate::minute_text(tier.worst.begin, figures.from, figures.until) + " (" +
                       number_text(tier.worst.count) + ")");
    cells.emplace_back(bars(tier.rejected_series));
  }
  return cells;
}

std::string limits_text(const Figures& figures, bool colours, std::size_t width) {
  const auto columns = columns_of(figures);
  std::vector<std::string> heads{"limit"};
  if (columns.tiers) heads.emplace_back("tier");
  for (const char* head : {"requests", "would reject", "share", "keys", "keys hit"}) heads.emplace_back(head);
  if (columns.delayed) heads.emplace_back("delayed");
  if (columns.banned) heads.emplace_back("suspended");
  if (columns.rejects)
    for (const char* head : {"worst key", "its share", "worst minute", "when"}) heads.emplace_back(head);
  TextTable table(std::move(heads));
  for (const auto& limit : figures.limits) {
    bool first = true;
    for (const auto& tier : limit.tiers) {
      if (tier.rates.empty() && tier.requests == 0) continue;  // unlimited
      table.row(row_of(figures, limit, tier, first, columns));
      first = false;
    }
  }
  return table.empty() ? "no route has a limit\n" : table.text(colours, width);
}

std::string head_text(const SimulationReport& report) {
  const auto& figures = report.figures;
  std::string out = plural(figures.requests, "request");
  if (figures.until > figures.from) out += " of " + simulate::span_text(figures.until - figures.from);
  out += " from " + printable(report.arrived.from) + ", " + plural(figures.keys, "key") + ", replayed ";
  if (report.runs > 1) out += number_text(report.runs) + " times ";
  return out + "in " + simulate::span_text(report.took) + "\n";
}

std::string unread_text(const simulate::Arrived& arrived) {
  if (arrived.unread == 0) return {};
  std::string out = plural(arrived.unread, "line") + " of " + number_text(arrived.lines) + " could not be read:\n";
  for (const auto& line : arrived.first_unread) out += "  " + printable(line) + '\n';
  if (arrived.unread > arrived.first_unread.size() && !arrived.first_unread.empty()) out += "  \u2026\n";
  return out;
}

std::string extras_text(const Figures& figures) {
  std::string out;
  for (const auto& room : figures.rooms)
    out += "waiting room " + printable(room.name) + ": " + plural(room.admitted, "visitor") + " let in at once, " +
           number_text(room.waiting) + " told to wait\n";
  for (const auto& each : figures.upstreams)
    out += "upstream " + printable(each.name) + ": " + plural(each.refused, "request") + " without a place, " +
           number_text(each.queued) + " waited for one\n";
  // Shows the requests that ended before their limits were asked. Many of them mean that the log does not match the
  // routes.
  for (const auto& [word, count] : figures.ended_by)
    if (word == "auth" || word == "no_route" || word == "bad_request" || word == "too_large")
      out += share_text(count, figures.requests) + " of all requests ended with " + word +
             " before their limits were asked\n";
  return out;
}

std::string suggestions_text(const simulate::Suggestions& suggestions) {
  const auto percent = suggestions.share <= 0 ? std::string("nothing") : "under " + percent_text(suggestions.share);
  std::string out;
  for (const auto& each : suggestions.of_tiers) {
    out += "smallest " + (each.tier.empty() ? std::string() : printable(each.tier) + ' ') + "rate of " +
           printable(each.limit) + " that rejects " + percent + ":  ";
    if (each.rates.empty()) {
      out += "none; some requests cost more than every size";
    } else {
      out += quoted_words(each.rates) + " (now " + quoted_words(each.now) + "), which rejects " +
             share_text(each.rejected, each.requests);
    }
    if (each.burst > 0) out += "; or \"burst\": " + std::to_string(each.burst) + " with the rate as it is";
    out += '\n';
  }
  if (suggestions.of_tiers.empty()) out += "no limit was asked about a request, so no rate can be suggested\n";
  return out;
}

std::string keys_text(const simulate::Comparison& comparison, bool hit, bool colours, std::size_t width) {
  TextTable table({hit ? "hit" : "freed", "key", "requests", "rejected before", "after"});
  for (const auto& limit : comparison.limits)
    for (const auto& key : hit ? limit.hit : limit.freed)
      table.row({limit.name, key.key.empty() ? "(not kept)" : key.key, number_text(key.requests),
                 number_text(key.rejected_before), number_text(key.rejected_after)});
  return table.empty() ? std::string() : '\n' + table.text(colours, width);
}

std::string comparison_text(const SimulationReport& report, bool colours, std::size_t width) {
  const auto& comparison = *report.comparison;
  std::string out = "with " + printable(report.other) + " in place of " + printable(report.policy) + ": ";
  if (comparison.each_known)
    out += plural(comparison.hit, "request") + " that pass" + (comparison.hit == 1 ? "es" : "") +
           " now would be refused, " + number_text(comparison.freed) + " that are refused would pass";
  else
    out += number_text(comparison.refused_after) + " requests would be refused, now " +
           number_text(comparison.refused_before);
  out += "\n\n";
  TextTable table({"limit", "", "would reject", "then", "keys hit", "keys freed"});
  for (const auto& limit : comparison.limits) {
    using What = simulate::LimitChange::What;
    const auto* const what = limit.what == What::added     ? "new"
                             : limit.what == What::removed ? "gone"
                             : limit.other_key             ? "other key"
                                                           : "";
    const auto paint = limit.rejected_after > limit.rejected_before   ? Paint::bad
                       : limit.rejected_after < limit.rejected_before ? Paint::good
                                                                      : Paint::none;
    table.row({limit.name, what, number_text(limit.rejected_before), Cell(number_text(limit.rejected_after), paint),
               number_text(limit.keys_hit), number_text(limit.keys_freed)});
  }
  if (!table.empty()) out += table.text(colours, width);
  return out + keys_text(comparison, true, colours, width) + keys_text(comparison, false, colours, width);
}

std::string asserted_text(const SimulationReport& report, bool colours, std::size_t width) {
  TextTable table({"asserted", "", "found"});
  for (const auto& each : report.asserted)
    table.row({each.assertion.text, each.held.holds ? Cell("holds", Paint::good) : Cell("does not hold", Paint::bad),
               found_text(each.assertion, each.held)});
  return table.text(colours, width);
}

}  // namespace

std::string simulate_text(const SimulationReport& report, bool colours, std::size_t width) {
  auto out = head_text(report) + unread_text(report.arrived);
  for (const auto& sentence : report.assumed) out += "assumed: " + printable(sentence) + '\n';
  for (const auto& sentence : report.arrived.notes) out += "note: " + printable(sentence) + '\n';
  for (const auto& sentence : undecided_notes(report.figures, " (name it with --as or --map)"))
    out += "note: " + printable(sentence) + '\n';
  out += '\n' + limits_text(report.figures, colours, width);
  if (const auto extras = extras_text(report.figures); !extras.empty()) out += '\n' + extras;
  if (report.suggestions) out += '\n' + suggestions_text(*report.suggestions);
  if (report.comparison) out += '\n' + comparison_text(report, colours, width);
  if (!report.asserted.empty()) out += '\n' + asserted_text(report, colours, width);
  return out;
}

std::string not_held_text(const SimulationReport& report) {
  std::string out;
  for (const auto& each : report.asserted)
    if (!each.held.holds)
      out += "headgate: " + printable(each.assertion.text) + " does not hold: it is " +
             found_text(each.assertion, each.held) + '\n';
  return out;
}

}  // namespace headgate::cli
