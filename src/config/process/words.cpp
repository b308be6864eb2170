#include "config/words.hpp"

#include "headgate/core/literals.hpp"

namespace headgate::config {
namespace {

constexpr std::uint32_t kAll = 1'000'000;

/// Returns "0.25%" for 2,500 millionths.
std::string in_percent(std::uint32_t millionths) {
  auto decimals = std::to_string(10'000 + millionths % 10'000).substr(1);
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  return std::to_string(millionths / 10'000) + (decimals.empty() ? "" : "." + decimals) + '%';
}

std::string traces_in_words(const Config& config) {
  if (!config.gateway.tracing) return {};
  const auto& tracing = *config.gateway.tracing;
  const auto share = in_percent(static_cast<std::uint32_t>(tracing.sample_below / observe::share_below(1)));
  if (!config.traces) return "\nTraces are passed on or begun, and their ids are logged; none is recorded here.\n";
  return "\nRecorded are " + share +
         (tracing.parent_based ? " of the traces that begin here, and those that callers record" : " of all traces") +
         "; their spans go to " + net::to_text(config.traces->url) + ".\n";
}

std::string log_in_words(const Config& config) {
  const auto& log = config.log;
  std::string out;
  if (log.keep_ok < kAll)
    out = "The access log has " + in_percent(log.keep_ok) + " of the requests with a status below 400";
  if (log.refusals_every > Duration(0))
    out += (out.empty() ? "A key that is refused has at most one line of the access log in "
                        : ", and at most one refusal of a key in ") +
           to_text(log.refusals_every);
  return out.empty() ? out : '\n' + out + ".\n";
}

}  // namespace

std::string observing_in_words(const Config& config) { return log_in_words(config) + traces_in_words(config); }

}  // namespace headgate::config
