#include "meaning_billing.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"

namespace headgate::config {

std::string billing_in_words(const Config& config) {
  if (!config.billing) return {};
  std::vector<std::string> names;
  for (const auto& limit : config.limits)
    if (limit.bill) names.push_back(limit.name);
  return "\nThe use of " + joined(names, ", ") + " is summed for bills, by days of " + config.billing->days->zone() +
         "; Redis keeps each day for " + to_text(config.billing->kept) + ".\n";
}

}  // namespace headgate::config
