// Translates RequestRateLimiter, whose keys come from beans.

#include "translate/draft/json.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/spring/filters.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

/// Splits a name such as "ipKeyResolver" or "remote_addr" into lower-case words.
std::vector<std::string> words_of(std::string_view name) {
  const auto lowers = [&](std::size_t at) { return at < name.size() && name[at] >= 'a' && name[at] <= 'z'; };
  const auto uppers = [&](std::size_t at) { return at < name.size() && name[at] >= 'A' && name[at] <= 'Z'; };
  std::vector<std::string> out{""};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = uppers(i) && i > 0 && (lowers(i - 1) || lowers(i + 1));
    if ((begins || !(uppers(i) || lowers(i))) && !out.back().empty()) out.emplace_back();
    if (uppers(i) || lowers(i)) out.back() += lower(name[i]);
  }
  return out;
}

/// Guesses "per" from the name of the bean, because its code is not in the file.
std::string per_for(const SpringStep& filter, const std::string& resolver, DraftEntry& limit) {
  const auto words = words_of(resolver);
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const auto guess = [&](const char* per) {
    say(limit, Matter::differs, filter.spot, "key-resolver: " + resolver,
        std::string("headgate does not know the code of this bean; by its name it counts by \"") + per + '"');
    return per;
  };
  if (has("ip") || has("addr") || has("address") || has("host")) return guess("client_ip");
  const auto api = std::ranges::find(words, "api");
  const bool api_key = api != words.end() && api + 1 != words.end() && *(api + 1) == "key";
  if (api_key || has("apikey")) return guess("api_key");
  say(limit, Matter::lost, filter.spot, resolver.empty() ? "key-resolver: the principal" : "key-resolver: " + resolver,
      "headgate does not know the code of this bean and counts by address: write the key in \"per\", such as "
      "\"jwt.sub\"");
  return "client_ip";
}

}  // namespace

void limit_requests(SpringWork& work, const SpringStep& filter, DraftEntry& route) {
  const auto argument = [&](const char* name) {
    const auto found = filter.arguments.find(std::string("redis-rate-limiter.") + name);
    return found == filter.arguments.end() ? std::string() : found->second;
  };
  const auto rate = whole_count(argument("replenishRate"));
  if (!rate || *rate == 0) {
    say(route, Matter::lost, filter.spot, filter.text, "its replenishRate was not understood");
    return;
  }
  const auto burst = whole_count(argument("burstCapacity")).value_or(1);
  const auto cost = whole_count(argument("requestedTokens")).value_or(1);
  const auto found = filter.arguments.find("key-resolver");
  const auto resolver = found == filter.arguments.end() ? std::string() : found->second;
  const auto id = std::to_string(*rate) + ' ' + std::to_string(burst) + ' ' + resolver + ' ' + route.name;
  auto known = work.limits.find(id);
  if (known == work.limits.end()) {
    DraftEntry limit;
    limit.name = free_name(route.name.empty() ? "rate-limiter" : route.name, work.draft.limit_names);
    limit.spot = filter.spot;
    limit.from = filter.text;
    limit.set("rate", rate_of(*rate, "second"));
    limit.set("burst", std::to_string(std::max<std::uint64_t>(burst, 1)));
    const auto per = per_for(filter, resolver, limit);
    limit.set("per", json_text(per));
    if (per == "api_key") limit.set("if_absent", R"({ "reject": 403 })");
    limit.comments.push_back("replenishRate " + std::to_string(*rate) + ", burstCapacity " + std::to_string(burst));
    known = work.limits.emplace(id, limit.name).first;
    put_limit(work.draft, std::move(limit));
  }
  if (cost == 1)
    route.use(known->second);
  else
    route.uses.push_back(object_of({{"use", json_text(known->second)}, {"cost", std::to_string(cost)}}));
}

}  // namespace headgate::translate
