#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "load_output.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/simulate/share_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace headgate::cli {
namespace {

using simulate::number_text;

/// Use of one core, as a share, above which the process probably loses time by waiting for the processor.
constexpr double kBusy = 0.85;

std::string shown_time(Duration time) {
  std::array<char, 32> out{};
  const auto ms = std::chrono::duration<double, std::milli>(time).count();
  const bool seconds = ms >= 10'000;
  const int digits = ms >= 100 || seconds ? (seconds ? 1 : 0) : ms >= 10 ? 1 : 2;
  std::snprintf(out.data(), out.size(), "%.*f %s", digits, seconds ? ms / 1000 : ms, seconds ? "s" : "ms");
  return out.data();
}

std::string shown_rate(double rate) {
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%.*f", rate < 10 && rate != std::floor(rate) ? 1 : 0, rate);
  return out.data();
}

std::string how_many(std::uint64_t count, const char* one) {
  return number_text(count) + ' ' + one + (count == 1 ? "" : "s");
}

/// Returns the verb for a sentence such as "1 of 5 were late": it agrees with the second number.
const char* was_or_were(std::uint64_t all) { return all == 1 ? " was " : " were "; }

void add_row(TextTable& table, const char* who, const load::CallerFigures& of) {
  const auto time = [&](Duration value) { return of.whole.count() == 0 ? std::string("-") : shown_time(value); };
  const auto paint = [](std::uint64_t count, Paint how) { return count == 0 ? Paint::none : how; };
  table.row({who,
             number_text(of.sent),
             {number_text(of.allowed), paint(of.allowed, Paint::good)},
             {number_text(of.rejected), paint(of.rejected, Paint::bad)},
             number_text(of.in_line),
             {number_text(of.other), paint(of.other, Paint::bad)},
             {number_text(of.no_answer), paint(of.no_answer, Paint::bad)},
             time(of.whole.at(0.5)),
             time(of.whole.at(0.99)),
             time(of.whole.max())});
}

std::string promises(const load::LoadFigures& figures) {
  std::string out;
  const auto asked = figures.kept + figures.broken;
  if (asked > 0) {
    out = "Promises: " + number_text(figures.kept) + " of " + number_text(asked) + was_or_were(asked) +
          "kept: a rejected caller asked again at the moment that it was told, and was allowed.\n";
    if (figures.broken > 0)
      out +=
          (figures.broken == 1 ? "  The other was" : "  The others were") +
          std::string(" rejected again, because another request took the permit first: one of another caller with ") +
          "the same key, or of the same caller. A limit of requests in flight only guesses its wait.\n";
  }
  if (figures.held > 0)
    out += "Held back: " + how_many(figures.held, "request") + " of callers who were told to wait.\n";
  if (figures.open > 0)
    out += "Still waiting at the end: " + how_many(figures.open, "caller") + ", told a later moment.\n";
  return out;
}

std::string limits_of_itself(const load::LoadOptions& options, const load::LoadReport& report) {
  const auto& figures = report.figures;
  const auto late = report.late_self + report.late_connections;
  const auto all = figures.callers.sent + figures.attackers.sent + report.not_sent;
  std::string out = "On time: ";
  if (all == 0)
    out += "no request was due.\n";
  else if (late + report.not_sent == 0)
    out += "every request was sent within 10 ms of its moment.\n";
  else
    out += number_text(late) + " of " + how_many(all, "request") + was_or_were(all) + "sent more than 10 ms late" +
           (report.not_sent > 0 ? ", and " + number_text(report.not_sent) + " not at all" : "") +
           "; that is in the times above.\n";
  switch (limited_by(report)) {
    case LimitedBy::nothing:
      break;
    case LimitedBy::connections:
      out += "Limited by its " + how_many(options.connections, "connection") +
             ": give --connections more, or ask why answers are slow.\n";
      break;
    case LimitedBy::processor:
      out += "Limited by this process: it used " + std::to_string(static_cast<int>(report.busiest * 100)) +
             " % of a core in its busiest second. Lower --rate, or start a second one.\n";
      break;
  }
  return out;
}

}  // namespace

LimitedBy limited_by(const load::LoadReport& report) noexcept {
  const auto& figures = report.figures;
  const auto all = figures.callers.sent + figures.attackers.sent + report.not_sent;
  const auto for_connections = report.late_connections + report.not_sent;
  const auto many = [all](std::uint64_t count) { return count * 100 > all; };  // more than one in a hundred
  // The processor is checked first: a process that has no time to read answers has no free connection either.
  if (many(for_connections))
    return report.busiest > kBusy || report.late_self > for_connections ? LimitedBy::processor : LimitedBy::connections;
  return many(report.late_self) ? LimitedBy::processor : LimitedBy::nothing;
}

std::string load_intention(const load::LoadOptions& options) {
  const auto& when = options.timetable;
  std::vector<std::string> urls;
  for (const auto& target : options.targets) urls.push_back(net::to_text(target.url));
  std::string out(load::kLikes[when.like]);
  out += ": " + shown_rate(when.rate) + (when.rate == 1 ? " request" : " requests") + " a second from " +
         how_many(when.callers, "caller");
  if (const auto more = load::attackers(when.like, when.callers); more > 0)
    out += ", and five times that from " + how_many(more, "attacker");
  return printable(out + " for " + to_text(when.length) + ", to " + joined(urls, " and ")) + "\n";
}

std::string load_second_heads() {
  return "     s    sent  allowed    429  in line  other  none       p50       p99  waiting  late\n";
}

std::string load_second_line(const load::LoadSecond& second) {
  std::array<char, 160> out{};
  std::snprintf(out.data(), out.size(), "%6llu %7llu %8llu %6llu %8llu %6llu %5llu %9s %9s %8llu %5llu\n",
                static_cast<unsigned long long>(second.number), static_cast<unsigned long long>(second.sent),
                static_cast<unsigned long long>(second.allowed), static_cast<unsigned long long>(second.rejected),
                static_cast<unsigned long long>(second.in_line), static_cast<unsigned long long>(second.other),
                static_cast<unsigned long long>(second.no_answer), shown_time(second.p50).c_str(),
                shown_time(second.p99).c_str(), static_cast<unsigned long long>(second.waiting),
                static_cast<unsigned long long>(second.late));
  return out.data();
}

std::string load_text(const load::LoadOptions& options, const load::LoadReport& report, bool colours,
                      std::size_t width) {
  const auto& figures = report.figures;
  TextTable table({"who", "sent", "allowed", "429", "in line", "other", "no answer", "p50", "p99", "max"});
  add_row(table, "callers", figures.callers);
  if (options.timetable.like == load::Like::attack) add_row(table, "attackers", figures.attackers);
  auto out = table.text(colours, width);
  const auto& sending = figures.callers.from_sending;
  if (figures.callers.whole.count() + figures.attackers.whole.count() > 0) {
    out += "Times: from the moment a request was due to the end of its answer";
    out +=
        sending.count() == 0 ? ".\n" : "; from its sending, p99 of callers is " + shown_time(sending.at(0.99)) + ".\n";
  }
  out += promises(figures) + limits_of_itself(options, report);
  std::vector<std::string> answers;
  for (const auto& [status, count] : figures.statuses)
    answers.push_back(std::to_string(status) + ": " + number_text(count));
  static constexpr std::array<const char*, 5> kEndings{"", "not connected", "timed out", "cut off", "unfinished"};
  for (const auto& [ending, count] : figures.unanswered)
    answers.push_back(std::string(kEndings[static_cast<std::size_t>(ending)]) + ": " + number_text(count));
  return out + "Answers: " + (answers.empty() ? "none" : joined(answers, ", ")) + ".\n";
}

}  // namespace headgate::cli
