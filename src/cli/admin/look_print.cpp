// Prints bounds and certificates for people.

#include "admin_print.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"

#include <cmath>
#include <cstdio>
#include <set>
#include <string>

namespace headgate::cli {
namespace {

constexpr double kNearlyFull = 0.9;

void put_table(const TextTable& table, const char* if_empty) {
  std::fputs(table.empty() ? if_empty : table.text(stdout_has_colours(), stdout_width()).c_str(), stdout);
}

}  // namespace

void print_bounds(const Json& answer) {
  constexpr double kHundred = 100;
  TextTable table({"bound", "used", "of", "share", "held by", "when it is full"});
  for (const auto& each : list_in(answer, "bounds")) {
    const double share = real_in(each, "share");
    const bool near = share >= kNearlyFull;
    const auto percent = std::to_string(std::lround(share * kHundred)) + " %";
    table.row({text_in(each, "bound"),
               text_in(each, "used"),
               text_in(each, "limit"),
               {percent, near ? Paint::bad : Paint::none},
               text_in(each, "held_by"),
               text_in(each, "when_full")});
  }
  put_table(table, "no bounds\n");
}

void print_certificates(const Json& answer) {
  TextTable table(
      {"file", "for", "used by", "names", "issuer", "serial", "from", "until", "days left", "OCSP", "loaded"});
  for (const auto& each : list_in(answer, "certificates")) {
    const auto names = words_in(each, "names");
    const bool wrong = each.contains("ending");
    table.row({text_in(each, "file"),
               text_in(each, "use"),
               words_in(each, "used_by"),
               names.empty() ? text_in(each, "subject") : names,
               text_in(each, "issuer"),
               text_in(each, "serial"),
               text_in(each, "not_before"),
               text_in(each, "not_after"),
               {text_in(each, "days_left"), wrong ? Paint::bad : Paint::good},
               text_in(each, "ocsp"),
               text_in(each, "loaded")});
  }
  put_table(table, "no certificates are in use\n");
}

bool complain_of_certificates(const Json& answer) {
  std::set<std::string> told;
  const auto tell = [&told](const std::string& what) {
    if (!what.empty() && told.insert(what).second) std::fprintf(stderr, "headgate: %s\n", printable(what).c_str());
  };
  for (const auto& each : list_in(answer, "certificates")) {
    tell(text_in(each, "ending"));
    if (const auto why = text_in(each, "refused"); !why.empty())
      tell("newer files were refused, and the older ones are in use: " + why);
  }
  return !told.empty();
}

}  // namespace headgate::cli
