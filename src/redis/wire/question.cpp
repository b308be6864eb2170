#include "question.hpp"

#include "headgate/core/time.hpp"
#include "headgate/limit/script.hpp"
#include "headgate/redis/errors.hpp"

namespace headgate::redis {

const Script& decide_script() noexcept {
  static const Script script{.text = limit::decide_script(), .sha = limit::decide_script_sha()};
  return script;
}

DecisionQuestion::DecisionQuestion(std::span<const limit::Check> checks, std::span<limit::Decision> decisions,
                                   std::string_view prefix) noexcept
    : ScriptQuestion(decide_script()), checks_(checks), decisions_(decisions), prefix_(prefix) {}

void DecisionQuestion::write(std::vector<std::string>& out) const {
  limit::script_arguments(checks_, prefix_, headgate::now(), out);
}

Result<bool> DecisionQuestion::read(const Reply& reply) {
  bool all_allowed = false;
  if (!reply.all_integers || !limit::read_script_reply(reply.integers, checks_, decisions_, all_allowed))
    return Errc::bad_reply;
  return all_allowed;
}

}  // namespace headgate::redis
