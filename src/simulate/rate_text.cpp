#include "rate_text.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"

namespace headgate::simulate {

std::string rate_text(const limit::Rule& rule) {
  if (limit::is_balance(rule)) return limit::amount_in_words(rule);
  if (!rule.algorithm->refills) return std::to_string(rule.burst) + " in flight";
  auto text = to_text(rule.rate);
  if (rule.burst != rule.algorithm->default_burst(rule)) text += ", burst " + std::to_string(rule.burst);
  return text;
}

}  // namespace headgate::simulate
