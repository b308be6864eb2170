// The policy test that `headgate init` writes beside the configuration.

#include "starter.hpp"

#include "headgate/config/layout.hpp"
#include "headgate/core/literals.hpp"

namespace headgate::cli {
namespace {

using Callers = StarterCallers;

/// Returns the part of a step that identifies the sender.
std::string sender(Callers callers, unsigned number) {
  auto address = ", \"ip\": \"203.0.113." + std::to_string(8 + number) + '"';
  switch (callers) {
    case Callers::anyone:
      return address;
    case Callers::keys:
      return address + ", \"api_key_owner\": \"" + (number == 1 ? "acme" : "globex") + '"';
    case Callers::tokens:
      break;
  }
  return address + ", \"claims\": { \"sub\": \"user\", \"org_id\": \"org_" + std::to_string(number) +
         "\", \"plan\": \"free\" }";
}

std::string_view limit_of(Callers callers) {
  constexpr std::string_view kLimits[] = {"per-ip", "per-key", "plan"};
  return kLimits[static_cast<std::size_t>(callers)];
}

std::string step(const std::string& from, std::uint64_t times, const std::string& expect) {
  return "{ \"send\": \"GET /\"" + from + (times > 1 ? ", \"times\": " + std::to_string(times) : "") +
         ",\n\"expect\": { " + expect + " } }";
}

std::string allowed(std::uint64_t count, std::uint64_t rejected) {
  return "\"allowed\": " + std::to_string(count) + ", \"rejected\": " + std::to_string(rejected);
}

std::string case_of(const std::string& name, const std::string& steps) {
  return "{ \"name\": \"" + name + "\",\n\"steps\": [\n" + steps + "\n] }";
}

std::string share_of_each(const StarterAnswers& answers) {
  const auto rate = *parse_rate(answers.rate);
  const auto one = sender(answers.callers, 1);
  return case_of("each caller has " + answers.rate + " of its own",
                 step(one, rate.count + 3, allowed(rate.count, 3)) + ",\n" +
                     step(one, 1,
                          R"("status": 429, "limit": ")" + std::string(limit_of(answers.callers)) +
                              R"(", "route": "app", "remaining": 0)") +
                     ",\n" + step(sender(answers.callers, 2), 1, "\"status\": 200, \"upstream\": \"app\"") + ",\n" +
                     "// Only this moves the time, and it takes none.\n"
                     "{ \"wait\": \"" +
                     to_text(rate.period) + "\" },\n" + step(one, rate.count, allowed(rate.count, 0)));
}

std::string more_for_pro(const StarterAnswers& answers) {
  const auto times = parse_rate(answers.rate)->count * 10;
  return case_of("a customer that pays has ten times as much",
                 step(R"(, "ip": "203.0.113.9", "claims": { "sub": "user", "org_id": "org_1", "plan": "pro" })", times,
                      allowed(times, 0)));
}

std::string credential() {
  return case_of("nobody comes in without a credential", step(R"(, "ip": "203.0.113.9")", 1, "\"status\": 401"));
}

}  // namespace

std::string starter_test(const StarterAnswers& answers, const StarterNames& names) {
  std::string cases = share_of_each(answers);
  if (answers.callers == Callers::tokens) cases += ",\n\n" + more_for_pro(answers);
  if (answers.callers != Callers::anyone) cases += ",\n\n" + credential();
  cases += ",\n\n" + case_of("the health check is never limited",
                             "{ \"send\": \"GET /healthz\", \"ip\": \"203.0.113.9\", \"times\": 500,\n"
                             "\"expect\": { \"status\": 200, \"allowed\": 500 } }");
  const auto text = "// What " + names.config + " does, step by step and on a clock of its own: headgate test " +
                    names.config.substr(0, names.config.rfind(".json")) + ".test.json\n{\n\"config\": \"" +
                    names.config + "\",\n\n\"tests\": [\n" + cases + "\n]\n}\n";
  return config::lay_out(text).text.value_or(text);
}

}  // namespace headgate::cli
