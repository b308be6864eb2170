#include "html_text.hpp"
#include "simulate_output.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/simulate/share_text.hpp"

#include <algorithm>
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

/// Maximum number of limits with a plot, so that the page stays small for every configuration.
constexpr std::size_t kMaxPlots = 60;

std::string cell(const std::string& text) { return "<td>" + html(text) + "</td>"; }
std::string key_cell(const std::string& key) {
  return key.empty() ? "<td class=\"k soft\">(not kept)</td>" : "<td class=k><code>" + html(key) + "</code></td>";
}
std::string number_cell(const std::string& text, const char* more = "") {
  return std::string("<td class=\"n") + more + "\">" + html(text) + "</td>";
}

/// Returns the head of a table. `shown` is a class of its style, which may hide the column of tiers.
std::string heads(std::initializer_list<std::pair<const char*, bool>> all, const char* shown = "wide") {
  std::string out = std::string("<div class=\"") + shown + "\"><table><thead><tr>";
  for (const auto& [text, number] : all) out += (number ? "<th class=n>" : "<th>") + std::string(text) + "</th>";
  return out + "</tr></thead><tbody>";
}
constexpr std::string_view kTableEnd = "</tbody></table></div>";

std::string tile(const std::string& value, const std::string& what, const char* paint = "") {
  return std::string("<div class=tile><b class=\"") + paint + "\">" + html(value) + "</b><span>" + html(what) +
         "</span></div>";
}

PlotTime time_of(const Figures& figures) {
  return {figures.series_begin, figures.series_width, figures.from, figures.until};
}

std::string top_of(const SimulationReport& report) {
  const auto& figures = report.figures;
  std::string out = "<header><h1>What <code>" + html(report.policy) + "</code> would do</h1><p class=soft>" +
                    html(report.arrived.from);
  if (figures.requests > 0)
    out += "<br>" + moment_text(figures.from) + " to " + moment_text(figures.until) + ", " +
           simulate::span_text(figures.until - figures.from);
  out += "</p></header><div class=tiles>" + tile(number_text(figures.requests), "requests") +
         tile(share_text(figures.refused, figures.requests), number_text(figures.refused) + " would be refused",
              figures.refused > 0 ? "bad-text" : "good-text") +
         tile(number_text(figures.keys), "keys of limits");
  if (report.comparison && report.comparison->each_known) {
    out += tile(number_text(report.comparison->hit), "more refused with " + report.other, "bad-text");
    out += tile(number_text(report.comparison->freed), "no longer refused with it", "good-text");
  }
  if (report.arrived.unread > 0) out += tile(number_text(report.arrived.unread), "lines could not be read", "bad-text");
  return out + "</div>" + plot(time_of(figures), figures.requests_series, figures.refused_series, "refused");
}

bool has_tiers(const LimitFigures& limit) { return !limit.tiers.empty() && !limit.tiers.front().name.empty(); }

std::string tiers_of(const Figures& figures, const LimitFigures& limit) {
  const bool delayed = std::ranges::any_of(limit.tiers, [](const auto& tier) { return tier.delayed > 0; });
  auto out = heads({{"tier", false},
                    {"rate", false},
                    {"requests", true},
                    {limit.observed ? "would reject" : "rejected", true},
                    {"share", true},
                    {"keys", true},
                    {"hit", true},
                    {"worst minute", true}},
                   has_tiers(limit) ? "wide" : "wide no-first");
  for (const auto& tier : limit.tiers) {
    std::string rates;
    for (const auto& rate : tier.rates) rates += (rates.empty() ? "" : ", ") + rate;
    const auto* const paint = tier.rejected > 0 ? " bad-text" : "";
    out += "<tr>" + cell(tier.name.empty() ? "-" : tier.name) + cell(rates.empty() ? "unlimited" : rates) +
           number_cell(number_text(tier.requests)) + number_cell(number_text(tier.rejected), paint) +
           number_cell(share_text(tier.rejected, tier.requests), paint) + number_cell(number_text(tier.keys)) +
           number_cell(number_text(tier.keys_rejected)) +
           number_cell(tier.worst.count == 0 ? "-"
                                             : simulate::minute_text(tier.worst.begin, figures.from, figures.until) +
                                                   " (" + number_text(tier.worst.count) + ")") +
           "</tr>";
  }
  out += kTableEnd;
  if (!delayed) return out;
  for (const auto& tier : limit.tiers)
    if (tier.delayed > 0)
      out += "<p class=soft>" + html(tier.name.empty() ? limit.name : tier.name) + ": " + number_text(tier.delayed) +
             " requests waited for their permit, " +
             simulate::span_text(tier.delay / static_cast<Duration::rep>(tier.delayed)) + " on average and " +
             simulate::span_text(tier.longest_delay) + " at most</p>";
  return out;
}

std::string worst_of(const LimitFigures& limit) {
  if (limit.worst.empty()) return {};
  const auto rejected = limit.rejected();
  std::string out = "<h3>worst keys, " + html(limit.per) + "</h3>" +
                    heads({{"key", false},
                           {"tier", false},
                           {"requests", true},
                           {"rejected", true},
                           {"of its own", true},
                           {"of all rejections", false}},
                          has_tiers(limit) ? "wide" : "wide no-second");
  for (const auto& key : limit.worst)
    out += "<tr>" + key_cell(key.key) + cell(key.tier.empty() ? "-" : key.tier) +
           number_cell(number_text(key.requests)) + number_cell(number_text(key.rejected)) +
           number_cell(share_text(key.rejected, key.requests)) + "<td>" + cell_bar(key.rejected, rejected) +
           "</td></tr>";
  return out.append(kTableEnd);
}

std::string limit_of(const Figures& figures, const LimitFigures& limit, bool plotted) {
  std::string out = "<section class=card><h2>" + html(limit.name);
  if (limit.observed) out += " <span class=tag>observes, rejects nobody</span>";
  out += "</h2><p class=soft>per " + html(limit.per) + "</p>" + tiers_of(figures, limit);
  if (limit.banned > 0)
    out += "<p class=bad-text>" + number_text(limit.banned) + " requests of " + number_text(limit.keys_banned) +
           " keys refused while these were suspended</p>";
  if (plotted)
    for (const auto& tier : limit.tiers) {
      if (tier.rejected == 0) continue;
      if (!tier.name.empty()) out += "<h3>tier " + html(tier.name) + "</h3>";
      out += plot(time_of(figures), tier.requests_series, tier.rejected_series,
                  limit.observed ? "would be rejected" : "rejected");
    }
  return out + worst_of(limit) + "</section>";
}

std::string suggestions_of(const simulate::Suggestions& suggestions) {
  const auto share = percent_text(suggestions.share);
  auto out = "<section class=card><h2>The smallest rates that reject " +
             (suggestions.share > 0 ? "under " + html(share) : std::string("nothing")) + "</h2>" +
             heads({{"limit", false},
                    {"tier", false},
                    {"now", false},
                    {"smallest rate", false},
                    {"rejects then", true},
                    {"or burst, at the rate now", true}});
  const auto joined = [](const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  };
  for (const auto& each : suggestions.of_tiers)
    out += "<tr>" + cell(each.limit) + cell(each.tier.empty() ? "-" : each.tier) + cell(joined(each.now)) + "<td><b>" +
           html(each.rates.empty() ? "none is large enough" : joined(each.rates)) + "</b></td>" +
           number_cell(each.rates.empty() ? "-" : share_text(each.rejected, each.requests)) +
           number_cell(each.burst == 0 ? "-" : number_text(each.burst)) + "</tr>";
  return out.append(kTableEnd) + "<p class=soft>Found in " + number_text(suggestions.runs) +
         " further runs over the same requests, to two digits; the last one enforced all of them "
         "together.</p></section>";
}

std::string changes_of(const simulate::Comparison& comparison, bool hit) {
  std::string rows;
  for (const auto& limit : comparison.limits)
    for (const auto& key : hit ? limit.hit : limit.freed)
      rows += "<tr>" + cell(limit.name) + key_cell(key.key) + number_cell(number_text(key.requests)) +
              number_cell(number_text(key.rejected_before)) +
              number_cell(number_text(key.rejected_after), hit ? " bad-text" : " good-text") + "</tr>";
  if (rows.empty()) return {};
  return std::string("<h3>") + (hit ? "whom it hits" : "whom it frees") + "</h3>" +
         heads({{"limit", false}, {"key", false}, {"requests", true}, {"rejected before", true}, {"after", true}}) +
         rows + std::string(kTableEnd);
}

std::string comparison_of(const SimulationReport& report) {
  const auto& comparison = *report.comparison;
  auto out = "<section class=card><h2>With <code>" + html(report.other) + "</code> in its place</h2>" +
             heads({{"limit", false},
                    {"", false},
                    {"rejected before", true},
                    {"after", true},
                    {"keys hit", true},
                    {"keys freed", true}});
  for (const auto& limit : comparison.limits) {
    using What = simulate::LimitChange::What;
    out += "<tr>" + cell(limit.name) +
           cell(limit.what == What::added     ? "new"
                : limit.what == What::removed ? "gone"
                : limit.other_key             ? "counts by another key"
                                              : "") +
           number_cell(number_text(limit.rejected_before)) +
           number_cell(number_text(limit.rejected_after), limit.rejected_after > limit.rejected_before   ? " bad-text"
                                                          : limit.rejected_after < limit.rejected_before ? " good-text"
                                                                                                         : "") +
           number_cell(number_text(limit.keys_hit)) + number_cell(number_text(limit.keys_freed)) + "</tr>";
  }
  return out.append(kTableEnd) + changes_of(comparison, true) + changes_of(comparison, false) + "</section>";
}

std::string asserted_of(const SimulationReport& report) {
  auto out = "<section class=card><h2>Asserted</h2>" + heads({{"what", false}, {"", false}, {"found", false}});
  for (const auto& each : report.asserted)
    out += "<tr><td><code>" + html(each.assertion.text) +
           "</code></td><td class=" + (each.held.holds ? "good-text>holds" : "bad-text>does not hold") + "</td>" +
           cell(found_text(each.assertion, each.held)) + "</tr>";
  return out.append(kTableEnd) + "</section>";
}

std::string notes_of(const SimulationReport& report) {
  std::string items;
  const auto add = [&](const std::string& text) { items += "<li>" + html(text) + "</li>"; };
  for (const auto& sentence : report.assumed) add("assumed: " + sentence);
  for (const auto& sentence : report.arrived.notes) add(sentence);
  for (const auto& sentence : undecided_notes(report.figures, " (name it with --as or --map)")) add(sentence);
  for (const auto& room : report.figures.rooms)
    add("waiting room " + room.name + ": " + number_text(room.admitted) + " visitors let in at once, " +
        number_text(room.waiting) + " told to wait");
  for (const auto& each : report.figures.upstreams)
    add("upstream " + each.name + ": " + number_text(each.refused) + " requests without a place, " +
        number_text(each.queued) + " waited for one");
  for (const auto& line : report.arrived.first_unread) add("could not be read: " + line);
  for (const auto& [word, count] : report.figures.ended_by) add(number_text(count) + " requests ended with " + word);
  return items.empty() ? items : "<h2>Notes</h2><ul class=\"notes soft\">" + items + "</ul>";
}

}  // namespace

std::string simulate_page(const SimulationReport& report) {
  const auto& figures = report.figures;
  std::string out =
      "<!doctype html><html lang=en><meta charset=utf-8>"
      "<meta name=viewport content=\"width=device-width,initial-scale=1\">"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none';style-src 'unsafe-inline'\">"
      "<meta name=referrer content=no-referrer><title>headgate simulate: " +
      html(report.policy) + "</title><style>" + std::string(kPageStyle) + "</style><main>" + top_of(report);
  if (!report.asserted.empty()) out += asserted_of(report);
  if (report.suggestions) out += suggestions_of(*report.suggestions);
  if (report.comparison) out += comparison_of(report);
  std::size_t plots = 0;
  for (const auto& limit : figures.limits) out += limit_of(figures, limit, plots++ < kMaxPlots);
  return out + notes_of(report) + "<footer>headgate simulate, " + number_text(report.runs) +
         (report.runs == 1 ? " run in " : " runs in ") + simulate::span_text(report.took) + "</footer></main></html>\n";
}

}  // namespace headgate::cli
